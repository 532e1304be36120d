"""What is wrong with a requested file that nothing makes, in one sentence."""

from difflib import get_close_matches


def target_refusal(path):
    if os.path.exists(path):
        return None
    own = re.fullmatch(r"results/own/([^/]+)/(index\.html|summary\.\w+)", path)
    if own and own[1] in GRID.own:
        if reason := unshared(own[1], GRID.own[own[1]].models):
            return reason
    if not any(maker.is_producer(path) for maker in workflow.rules):
        return f"nothing makes {path}: {unknown_target(path)}"
    job = re.fullmatch(
        r"results/(?:inference|predictions)/([^/]+)/([^/]+)/k(\d+)(?:_part(\w+))?\.\w+",
        path,
    )
    asked = {*GRID.inference_jobs(), *chain(*map(GRID.own_jobs, USER_DATASETS))}
    if job and (job[1], job[2], int(job[3])) not in asked:
        return (
            f"nothing makes {path}: no question of this configuration asks {job[1]} about the "
            f"{job[2]} suite at k = {job[3]}"
        )
    if job and job[4]:
        parts = job_parts(job[1], job[2], int(job[3]))
        if job[4] not in parts:
            return f"nothing makes {path}: its parts are {', '.join(parts)}"
    return None


def unknown_target(path):
    own = re.fullmatch(r"results/own/([^/]+)/.*", path)
    if own and own[1] not in USER_DATASETS:
        return (
            f"no own dataset '{own[1]}'; ./tabbench draft {own[1]}.csv TARGET POSITIVE writes "
            f"{OWN_FOLDER}/{own[1]}.yaml (docs/own_table.md)"
        )
    folder = os.path.dirname(path)
    beside = [file for file in all_artifacts() if os.path.dirname(file) == folder]
    closest = get_close_matches(path, beside, n=1)
    if closest:
        return f"did you mean {closest[0]}?"
    datasets = ", ".join([*DATASETS, *GRID.in_suites(("llm_synthetic", "mlp"))])
    return (
        f"this configuration has the datasets {datasets}; the models {', '.join(MODELS)}; "
        f"k = {', '.join(map(str, GRID.shots))}; the questions {', '.join(GRID.questions)}"
    )


plan_checked(target_refusal)
forget_dead_locks()
