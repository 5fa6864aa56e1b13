// Decides whether the last night allows a release. The rule: the newest completed run of night.yml on the default branch
// was successful, and tested exactly the commit of the release. A night that tested an ancestor does not cover the
// later changes; a night that tested a descendant can have passed because of them.

/** Milliseconds for both requests together. */
const limitMs = 30_000

/**
 * @returns null, or the reason why the release is refused, with the next step
 * @param night returned by `readNight`
 */
export function refusalOfNight({ branch, run }, commit) {
  const again = `run night.yml on ${branch} (Actions, night, Run workflow) and wait for it`
  if (run === null) return `night.yml has no completed run on ${branch}: ${again}`
  const of = `the newest completed run of night.yml on ${branch} (${run.html_url})`
  if (run.status !== 'completed' || run.head_branch !== branch)
    return `GitHub returned a run with status ${run.status} on ${run.head_branch}, not ${of}`
  if (run.conclusion !== 'success') return `${of} ended with ${run.conclusion}: mend it, or ${again}`
  if (run.head_sha !== commit)
    return (
      `${of} tested ${run.head_sha}, and the tag is on ${commit}: ` +
      `tag the tested commit, or if the tag is on the newest commit, ${again}`
    )
  return null
}

/**
 * Reads the default branch and its newest completed night, or null for a branch without a night.
 * @throws Error that contains GitHub's answer
 */
export async function readNight({ api, repository, token, timeoutMs = limitMs }) {
  const signal = AbortSignal.timeout(timeoutMs)
  const get = (path) => read(`${api}/repos/${repository}${path}`, { token, signal, timeoutMs })
  const { default_branch: branch } = await get('')
  if (typeof branch !== 'string') throw new Error(`GitHub did not return the default branch of ${repository}`)
  const query = new URLSearchParams({ branch, status: 'completed', per_page: '1' })
  const { workflow_runs: runs } = await get(`/actions/workflows/night.yml/runs?${query}`)
  if (!Array.isArray(runs)) throw new Error('GitHub returned no list of runs of night.yml')
  return { branch, run: runs[0] ?? null }
}

async function read(url, { token, signal, timeoutMs }) {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': '2022-11-28',
  }
  try {
    const answer = await fetch(url, { headers, signal })
    if (!answer.ok) throw new Error(`status ${answer.status}${reasonOf(answer.status)}`)
    return await answer.json()
  } catch (error) {
    const why = signal.aborted ? `no answer within ${timeoutMs / 1000} seconds` : messageOf(error)
    throw new Error(`GET ${url}: ${why}`, { cause: error })
  }
}

/** fetch names the fault of a connection in the cause. */
const messageOf = ({ message, cause }) => (cause instanceof Error ? `${message}: ${cause.message}` : message)

const reasonOf = (status) =>
  ({
    401: ': GITHUB_TOKEN is not valid',
    403: ': GITHUB_TOKEN must have the permission `actions: read`, or the rate limit is reached',
    404: ': the repository or its night.yml does not exist, or GITHUB_TOKEN cannot read it',
  })[status] ?? ''
