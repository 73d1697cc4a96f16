/**
 * Whether this process asked a program or another host for something, or met a limit of time. Its answer then depends on
 * more than the files that were read, so it is never kept for a later run (cli/keep-answers.ts). One count for the process,
 * because a program is started at places that no port passes through.
 */
let asked = 0;

/** Called by whatever is about to start a program or to open a connection, and where a limit of time ended something. */
export function noteOutside(): void {
  asked += 1;
}

/** How often that happened so far. */
export const outsideCount = (): number => asked;
