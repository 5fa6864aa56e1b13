export interface FileReport {
  file: string
  ms: number
  /** Errors outside the file's tests, such as an error of a hook. */
  errors: string[]
  tests: { title: string; fullName: string; state: string; errors: string[] }[]
}
export interface Report {
  files: Map<string, FileReport>
  /** Errors outside all files. */
  outside: string[]
}
export function readReport(report: string): Report
export function countReport(report: Report, expected: string[]): { passed: number; failed: string[] }
export function commandOf(file: string, fullName?: string): string
