/**
 * The id of a running process, for a signal: 0 would signal this process's whole group, the test run included.
 * @throws when it does not run
 */
export function runningPid({ pid }: { pid?: number | null | undefined }): number {
  if (pid === null || pid === undefined || pid <= 0) throw new Error('the process does not run')
  return pid
}
