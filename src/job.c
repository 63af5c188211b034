#include "job.h"

void job_free(struct job *job)
{
    words_free(&job->args);
    words_free(&job->inputs);
    words_free(&job->outputs);
}

const char *job_module(const struct job *job)
{
    return job->inputs.count > 0 ? job->inputs.items[0] : job->outputs.items[0];
}

size_t job_bitcode_inputs(const struct job *job)
{
    return !job->references ? job->inputs.count : 2 + job->imports;
}

const char *job_input_place(const struct job *job, size_t input, size_t *position)
{
    *position = input;
    if (!job->references)
        return "inputs";
    *position = 0;
    if (input < 2)
        return input == 0 ? "primary_input" : "summary_index";
    *position = input - 2;
    if (*position < job->imports)
        return "imports";
    *position -= job->imports;
    return "additional_inputs";
}

const char *job_output_place(const struct job *job, size_t output, size_t *position)
{
    *position = output;
    if (!job->references)
        return "outputs";
    if (output > 0)
        --*position;
    return output == 0 ? "primary_output" : "additional_outputs";
}
