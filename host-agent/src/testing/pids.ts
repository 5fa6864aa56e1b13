/**
 * Returns the ID of a running process, for a signal. The value 0 would signal this process's whole group,
 * with the test run. @throws when the process does not run
 */
export function runningPid({ pid }: { pid?: number | null | undefined }): number {
  if (pid === null || pid === undefined || pid <= 0) throw new Error('the process does not run')
  return pid
}
