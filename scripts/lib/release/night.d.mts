export interface Night {
  branch: string
  run: {
    status: string
    conclusion: string | null
    head_branch: string
    head_sha: string
    html_url: string
  } | null
}
export function refusalOfNight(night: Night, commit: string): string | null
export function readNight(options: {
  api: string
  repository: string
  token: string
  timeoutMs?: number
}): Promise<Night>
