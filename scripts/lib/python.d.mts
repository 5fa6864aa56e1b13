export interface Report {
  passed: number
  failed: string[]
  skipped: string[]
  skippedCount: number
}
export function readReport(output: string, endedWell: boolean): Report
