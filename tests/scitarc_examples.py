"""The plans of Tables 6 and 7 of the SciTaRC paper, with their indentation rebuilt."""

PLANS = {
    "second best": """\
SELECT F1-scores for all models
COMPUTE sort models by F1-score in descending order
COMPUTE difference = F1-score of GPT-4 - F1-score of second-best model
RETURN difference
""",
    "zero-shot": """\
SELECT Zero-shot Systems, all metrics, both language directions
LOOP for each zero-shot model
    SELECT scores for current zero-shot Model
    LOOP for each metric and language direction
        SELECT Fine-tuned models scores
        COMPUTE max_ft_score = max fine-tuned model scores
        COMPUTE diff = zero-shot model score - max_ft_score
        IF diff > 0
            COMPUTE add zero-shot model to result_list
RETURN result_list
""",
    "transitions": """\
SELECT Models present in all 3 Tables
LOOP for each Model
    SELECT 60% OOD Ratio from Table 1, 80% from Table 2, and 90% from Table 3
    LOOP for each OOD Ratio
        SELECT Overall F1 scores for SD, CD, and MD
        LOOP for each Transition
            IF Transition is "Single-Domain->Cross-Domain"
                COMPUTE increase = f1_cd - f1_sd
            IF Transition is "Cross-Domain->Multi-Domain"
                COMPUTE increase = f1_md - f1_cd
            IF increase > 0
                COMPUTE increment positive_count by 1
RETURN positive_count
""",
    "bigger models": """\
SELECT all test sets
SELECT all model families
SELECT all token-window groups
LOOP for each test set
    COMPUTE violation_exists = false
    LOOP for each model family
        SELECT models in this family ordered from smallest to largest
        LOOP for each adjacent model pair
            IF larger_model_score < smaller_model_score on this test set
                COMPUTE violation_exists = true
    LOOP for each token-window group
        SELECT models in this group ordered from shortest to longest
        LOOP for each adjacent model pair
            IF longer_window_score < shorter_window_score on this test set
                COMPUTE violation_exists = true
    IF violation_exists = false
        SELECT this test set as valid
RETURN valid test sets
""",
    "hardest language": """\
SELECT Qwen2-Audio, all languages
LOOP for each language
    SELECT LLM accuracy in all settings
    COMPUTE average1
COMPUTE argmin1
SELECT all models
LOOP for each model
    SELECT all languages
    LOOP for each language
        SELECT LLM accuracy in all settings
        COMPUTE average2
    COMPUTE argmin2
    IF argmin2 is not the same as argmin1
        COMPUTE add this model to list
RETURN argmin1, list
""",
}
