@rem npm scripts say `exec node ...` so that signals reach Node itself. Windows has no `exec`: this runs the words after it.
@%*
