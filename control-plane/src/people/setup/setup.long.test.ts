// A terminal's setup from its request to its key, with real Postgres and the page that a person
// uses.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { hashSecret } from '@phonerack/shared'
import { useWorld, type Plane } from '../../testing/world.js'
import { escapeHtml } from './html.js'
import { watchQueries } from '../../testing/query-log.js'
import { linkFor } from '../../testing/setup-link.js'
import { newUserCode, readUserCode } from './user-code.js'
import { createProject } from '../../testing/operator.js'

const world = useWorld()
let plane: Plane
let beside: Plane
let projectId: string
let ahead = 0
/** Fixed just after the beginning of a minute, so that no count resets during a test. */
const start = Math.ceil(Date.now() / 60_000) * 60_000 + 1000
const clock = { now: () => new Date(start + ahead) }

beforeAll(async () => {
  plane = await world.start({ clock, env: { PHONERACK_FAILURES_PER_MINUTE: '60' } })
  beside = await world.start({ clock, beside: plane })
  projectId = (await createProject(plane.app.core, { name: 'Apples & "Pears"' })).id
})
// Rates are per minute, so each test gets its own minute.
beforeEach(() => void (ahead += 60_000))

const post = (url: string, body?: unknown, server = plane.server) =>
  server.inject({
    method: 'POST',
    url,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
  })
interface Asked {
  setup_token: string
  user_code: string
  verification_url: string
}
const ask = async (client?: string): Promise<Asked> => {
  const answer = await post('/v1/setup', client === undefined ? undefined : { client })
  expect(answer.statusCode).toBe(201)
  return answer.json<Asked>()
}
const poll = (setup_token: string, server = plane.server) => post('/v1/setup/token', { setup_token }, server)
const codeOf = (answer: Awaited<ReturnType<typeof poll>>) => [
  answer.statusCode,
  answer.json<{ error?: { code: string } }>().error?.code,
]

/** Simulates a browser: keeps the cookie, sends the form's hidden fields. */
class Browser {
  private cookie = ''
  private hidden: Record<string, string> = {}
  body = ''

  async open(url: string): Promise<number> {
    return this.take(await plane.server.inject({ method: 'GET', url }))
  }

  async submit(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const answer = await plane.server.inject({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: plane.config.http.baseUrl,
        cookie: this.cookie,
        ...headers,
      },
      payload: new URLSearchParams({ ...this.hidden, ...fields }).toString(),
    })
    return this.take(answer)
  }

  decide = (decision: string) => this.submit('/setup/decide', { decision })

  private take(answer: Awaited<ReturnType<typeof post>>): number {
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(answer.headers['cache-control']).toBe('no-store')
    const cookie = answer.headers['set-cookie']
    if (typeof cookie === 'string') {
      expect(cookie).toMatch(/HttpOnly/)
      expect(cookie).toMatch(/SameSite=Strict/)
      this.cookie = cookie.split(';')[0] ?? ''
    }
    this.body = answer.body
    for (const [, name = '', value = ''] of answer.body.matchAll(
      /type="hidden" name="(\w+)" value="([^"]*)"/g,
    ))
      this.hidden[name] = value
    return answer.statusCode
  }
}

/** The page of an operator's link for a code. */
const opened = async (userCode: string, project = projectId) => {
  const { url } = await linkFor(plane, userCode, project)
  const browser = new Browser()
  expect(await browser.open(url.slice(plane.config.http.baseUrl.length))).toBe(200)
  return browser
}
const operator = async (path: string, payload: object, token = plane.operatorToken) => {
  const answer = await plane.operator.inject({
    method: 'POST',
    url: `/operator/v1/setups/${path}`,
    headers: { authorization: `Bearer ${token}` },
    payload,
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}

describe('a setup', () => {
  it('is confirmed by a person and delivers its key once, which works [1.18, 2.17, 4.41, 16.3, 16.4, 16.7, 16.8, 16.14, 18.15, 20.55, 23.38]', async () => {
    const asked = await ask('tidy-agent <v1>')
    expect(asked).toMatchObject({
      verification_url: `${plane.config.http.baseUrl}/setup`,
      expires_in: 900,
      interval: 3,
    })
    expect(asked.setup_token).toMatch(/^prs_[A-Za-z0-9_-]{43}$/)
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })

    const browser = await opened(asked.user_code.toLowerCase().replace('-', ' '))
    expect(browser.body).toContain(asked.user_code)
    expect(browser.body).toContain('tidy-agent &lt;v1&gt;')
    expect(browser.body).toContain('127.0.0.1')
    expect(browser.body).toContain('Apples &amp; &quot;Pears&quot;')
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })
    expect(await browser.decide('allow')).toBe(200)

    // Two replicas are polled concurrently: one of them delivers.
    const polls = await Promise.all([
      poll(asked.setup_token),
      poll(asked.setup_token, beside.server),
      poll(asked.setup_token),
    ])
    const delivered = polls.filter((each) => each.statusCode === 200)
    expect(delivered).toHaveLength(1)
    expect(polls.filter((each) => each.statusCode !== 200).map(codeOf)).toEqual([
      [409, 'setup_used'],
      [409, 'setup_used'],
    ])
    const { api_key: key, project, status } = delivered[0]?.json<Record<string, string>>() ?? {}
    expect([status, project]).toEqual(['approved', 'Apples & "Pears"'])
    const account = await plane.server.inject({
      url: '/v1/account',
      headers: { authorization: `Bearer ${key ?? ''}` },
    })
    expect(account.statusCode).toBe(200)
    const row = await plane.app.core.db.apiKey.findFirstOrThrow({ where: { projectId } })
    expect(row).toMatchObject({ name: 'tidy-agent <v1> (terminal setup)', preset: 'agent', expiresAt: null })
    expect(JSON.stringify(await plane.app.core.db.setup.findMany())).not.toContain(asked.setup_token)
  })

  it('is named generically without a client [16.9]', async () => {
    const asked = await ask()
    const browser = await opened(asked.user_code)
    await browser.decide('allow')
    expect((await poll(asked.setup_token)).statusCode).toBe(200)
    expect(await plane.app.core.db.apiKey.count({ where: { name: 'Terminal setup' } })).toBe(1)
  })

  it('reports a denial at every poll [4.42, 16.11, 23.13]', async () => {
    const asked = await ask('x')
    const browser = await opened(asked.user_code)
    expect(await browser.decide('deny')).toBe(200)
    expect(codeOf(await poll(asked.setup_token))).toEqual([403, 'setup_denied'])
    expect(codeOf(await poll(asked.setup_token))).toEqual([403, 'setup_denied'])
    expect(await browser.decide('allow')).toBe(409)
    expect(codeOf(await poll(asked.setup_token))).toEqual([403, 'setup_denied'])
  })

  it('can be denied by an operator without a page', async () => {
    const asked = await ask('x')
    const { status, body } = await operator('deny', { user_code: asked.user_code })
    expect([status, body['status'], body['client']]).toEqual([200, 'denied', 'x'])
    expect(codeOf(await poll(asked.setup_token))).toEqual([403, 'setup_denied'])
    for (const path of ['approve', 'deny'])
      expect((await operator(path, { user_code: asked.user_code })).status).toBe(404)
  })

  it('expires after 15 minutes, confirmed or not [4.43, 16.13, 20.31, 23.37]', async () => {
    const [waiting, confirmed] = [await ask(), await ask()]
    const browser = await opened(confirmed.user_code)
    await browser.decide('allow')
    ahead += 899_000
    expect((await poll(waiting.setup_token)).json()).toEqual({ status: 'pending' })
    ahead += 2000
    for (const { setup_token: token } of [waiting, confirmed])
      expect(codeOf(await poll(token))).toEqual([409, 'setup_expired'])
    expect((await operator('approve', { user_code: waiting.user_code })).status).toBe(404)
  })

  it('waits while its project has 50 active keys [16.15, 18.11, 23.39]', async () => {
    const full = await createProject(plane.app.core, { name: 'Full' })
    const now = new Date()
    await plane.app.core.db.apiKey.createMany({
      data: Array.from({ length: 50 }, (_, at) => ({
        id: `key_full${at}`,
        projectId: full.id,
        name: 'k',
        preset: 'agent',
        secretHash: `hash-${at}`,
        createdAt: now,
      })),
    })
    const asked = await ask()
    const browser = await opened(asked.user_code, full.id)
    await browser.decide('allow')
    expect(codeOf(await poll(asked.setup_token))).toEqual([409, 'key_limit'])
    await plane.app.core.db.apiKey.update({ where: { id: 'key_full0' }, data: { revokedAt: now } })
    expect((await poll(asked.setup_token)).statusCode).toBe(200)
  })
})

describe('the project of a setup', () => {
  it("is the operator's choice: the page shows only that one, and its form cannot change it", async () => {
    const other = await createProject(plane.app.core, { name: 'Another tenant' })
    const asked = await ask()
    const browser = await opened(asked.user_code)
    expect(browser.body).toContain('Apples &amp; &quot;Pears&quot;')
    expect(browser.body).not.toMatch(/Another tenant|<select|proj_/)
    expect(await browser.submit('/setup/decide', { decision: 'allow', project: other.id })).toBe(200)
    const { project, api_key: key } = (await poll(asked.setup_token)).json<Record<string, string>>()
    expect(project).toBe('Apples & "Pears"')
    const row = await plane.app.core.db.apiKey.findUniqueOrThrow({
      where: { secretHash: hashSecret(key ?? '') },
    })
    expect(row.projectId).toBe(projectId)
  })

  it('is the last one that an operator chose, and ends with a denial', async () => {
    const other = await createProject(plane.app.core, { name: 'The right one' })
    const asked = await ask()
    await linkFor(plane, asked.user_code, projectId)
    const browser = await opened(asked.user_code, other.id)
    expect(browser.body).toContain('The right one')
    await browser.decide('deny')
    const row = await plane.app.core.db.setup.findUniqueOrThrow({
      where: { tokenHash: hashSecret(asked.setup_token) },
    })
    expect([row.status, row.projectId]).toEqual(['denied', null])
  })

  it('may be omitted only when there is exactly one, and must exist', async () => {
    const alone = await world.start({ clock })
    const approve = async (payload: object) => {
      const { userCode } = await alone.app.services.setup.create({ client: null, address: '127.0.0.1' })
      const answer = await alone.operator.inject({
        method: 'POST',
        url: '/operator/v1/setups/approve',
        headers: { authorization: `Bearer ${alone.operatorToken}` },
        payload: { user_code: userCode, ...payload },
      })
      return { status: answer.statusCode, text: answer.body, body: answer.json<Record<string, unknown>>() }
    }
    expect((await approve({})).status).toBe(400)
    const { id } = await createProject(alone.app.core, { name: 'Only' })
    const given = await approve({})
    expect(given).toMatchObject({ status: 201, body: { project: id, project_name: 'Only' } })
    await createProject(alone.app.core, { name: 'Second' })
    const refused = await approve({})
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        error: {
          code: 'validation_failed',
          next: expect.stringContaining('--project') as string,
          details: { issues: [{ path: ['project'] }] },
        },
      },
    ])
    expect(refused.text).not.toMatch(/Only|Second|proj_/)
    expect((await approve({ project: id })).status).toBe(201)
    expect((await approve({ project: 'proj_aaaaaaaaaaaa' })).status).toBe(404)
    for (const project of ['a\0b', 7, null, 'a'.repeat(201)])
      expect((await approve({ project })).status).toBe(400)
  })

  it('is part of every link: one of an earlier version without it is not valid', async () => {
    const asked = await ask()
    const { url } = await linkFor(plane, asked.user_code, projectId)
    await plane.app.core.db.setup.update({
      where: { tokenHash: hashSecret(asked.setup_token) },
      data: { projectId: null },
    })
    expect(await new Browser().open(url.slice(plane.config.http.baseUrl.length))).toBe(409)
  })
})

describe('the requests', () => {
  it.each([
    ['/v1/setup', { client: '' }],
    ['/v1/setup', { client: 'a'.repeat(61) }],
    ['/v1/setup', { client: 'é' }],
    ['/v1/setup', { client: 'a\nb' }],
    ['/v1/setup', { other: 1 }],
    ['/v1/setup/token', {}],
    ['/v1/setup/token', { setup_token: 'prs_short' }],
    ['/v1/setup/token', { setup_token: `prk_${'a'.repeat(43)}` }],
    ['/v1/setup/token', { setup_token: `prs_${'a'.repeat(43)}`, more: 1 }],
  ])('%s refuses %j [16.2]', async (url, body) => {
    expect(codeOf(await post(url, body))).toEqual([400, 'validation_failed'])
  })

  it('accept 1 and 60 characters, reject a token that was never issued, and refuse browsers [16.1, 16.12, 18.9]', async () => {
    await ask('a')
    await ask('a'.repeat(60))
    expect(codeOf(await poll(`prs_${'a'.repeat(43)}`))).toEqual([404, 'not_found'])
    const fromBrowser = await plane.server.inject({
      method: 'POST',
      url: '/v1/setup',
      headers: { origin: plane.config.http.baseUrl },
    })
    expect(codeOf(fromBrowser)).toEqual([403, 'browser_requests_not_allowed'])
  })

  it('return nothing for the user code alone [16.5]', async () => {
    const { user_code: code } = await ask()
    expect(codeOf(await poll(code))).toEqual([400, 'validation_failed'])
    const headers = { authorization: `Bearer ${code}` }
    expect(codeOf(await plane.server.inject({ url: '/v1/account', headers }))).toEqual([
      401,
      'invalid_api_key',
    ])
  })

  it('are limited to 60 a minute from an IPv6 /48', async () => {
    const from = (remoteAddress: string) =>
      plane.server.inject({ method: 'POST', url: '/v1/setup', remoteAddress })
    const statuses: number[] = []
    for (let network = 0; network < 61; network += 1)
      statuses.push((await from(`2001:db8:7:${network}::1`)).statusCode)
    expect([statuses.slice(0, 60).every((status) => status === 201), statuses[60]]).toEqual([true, 429])
    expect((await from('2001:db8:8:1::1')).statusCode).toBe(201)
    ahead += 60_000
  })

  it('are limited: 10 a minute by address, 60 polls a minute by setup [16.6, 20.30]', async () => {
    const answers = await Promise.all(Array.from({ length: 11 }, () => post('/v1/setup')))
    const refused = answers.filter((each) => each.statusCode === 429)
    expect(refused).toHaveLength(1)
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    const token = answers.find((each) => each.statusCode === 201)?.json<Asked>().setup_token ?? ''
    const polls = await Promise.all(Array.from({ length: 61 }, () => poll(token)))
    expect(polls.filter((each) => each.statusCode === 200)).toHaveLength(60)
    expect(polls.filter((each) => codeOf(each)[1] === 'rate_limited')).toHaveLength(1)
    expect((await ask().catch(() => null)) === null).toBe(true)
    ahead += 60_000
    expect((await poll(token)).statusCode).toBe(200)
  })
})

describe('the pages', () => {
  it('accept no operator token anywhere', async () => {
    const asked = await ask()
    const start = new Browser()
    expect(await start.open('/setup')).toBe(200)
    expect(start.body).toContain('ctl setup approve')
    const confirm = await opened(asked.user_code)
    for (const { body } of [start, confirm]) {
      expect(body).not.toMatch(/type="password"|pro_|name="operator/)
      expect(body).not.toContain('<script')
    }
    expect(start.body).not.toContain('<form')
    for (const method of ['POST', 'GET'] as const)
      expect((await plane.server.inject({ method, url: '/setup/review' })).statusCode).toBe(404)
  })

  it('accept no form but their own', async () => {
    const asked = await ask()
    const browser = await opened(asked.user_code)
    const fields = { decision: 'allow' }
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { cookie: '' },
      { cookie: 'phonerack_setup=' },
      { cookie: 'phonerack_setup=another' },
    ])
      expect(await browser.submit('/setup/decide', fields, headers), JSON.stringify(headers)).toBe(403)
    expect(await browser.submit('/setup/decide', { ...fields, csrf: '' })).toBe(403)
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })
    expect(await browser.submit('/setup/decide', fields)).toBe(200)
  })

  it('refuse text that cannot be stored, and a value with other bytes, like any wrong one', async () => {
    const asked = await ask()
    const browser = await opened(asked.user_code)
    const fields = { decision: 'allow' }
    expect(await browser.submit('/setup/decide', { ...fields, csrf: 'é'.repeat(43) })).toBe(403)
    for (const text of ['a\0b', '\ud800', 'a'.repeat(9000), 'proj_aaaaaaaaaaaa']) {
      expect(await browser.submit('/setup/decide', { ...fields, csrf: text })).toBe(403)
      expect(await browser.submit('/setup/decide', { ...fields, ticket: text })).toBe(409)
      const typed = await operator('approve', { user_code: text })
      expect(typed.status).toBe(400)
    }
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })
    expect(await browser.submit('/setup/decide', fields)).toBe(200)
  })

  it('are limited by address when links are wrong, and open a valid one from that address', async () => {
    const path = (code: string) => `/setup/confirm?ticket=${code}`
    const { ticket } = await linkFor(plane, (await ask()).user_code, projectId)
    const remoteAddress = '203.0.113.9'
    const open = async (code: string) =>
      (await plane.server.inject({ method: 'GET', url: path(code), remoteAddress })).statusCode
    for (let at = 0; at < 60; at++) expect(await open(`prc_${'b'.repeat(43)}`)).toBe(409)
    expect(await open(`prc_${'c'.repeat(43)}`)).toBe(429)
    expect(await open(ticket)).toBe(200)
  })

  it('are limited by address for used links, like wrong ones', async () => {
    const asked = await ask()
    const { url, ticket } = await linkFor(plane, asked.user_code, projectId)
    const path = url.slice(plane.config.http.baseUrl.length)
    const token = asked.setup_token
    const browser = new Browser()
    expect(await browser.open(path)).toBe(200)
    expect(await browser.decide('allow')).toBe(200)
    expect((await poll(token)).statusCode).toBe(200)
    const remoteAddress = '203.0.113.10'
    const open = async (code: string) => {
      const url = `/setup/confirm?ticket=${code}`
      return (await plane.server.inject({ method: 'GET', url, remoteAddress })).statusCode
    }
    for (let at = 0; at < 60; at++) expect(await open(ticket)).toBe(409)
    expect(await open(ticket)).toBe(429)
    const collect = async () => {
      const answer = await plane.server.inject({
        method: 'POST',
        url: '/v1/setup/token',
        remoteAddress,
        payload: { setup_token: token },
      })
      return answer.statusCode
    }
    expect(await collect()).toBe(429)
  })

  it('know a link until it is used, replaced, or expired', async () => {
    const pathOf = async (code: string) =>
      (await linkFor(plane, code, projectId)).url.slice(plane.config.http.baseUrl.length)
    const stateOf = (path: string) => new Browser().open(path)
    const asked = await ask()
    const first = await pathOf(asked.user_code)
    expect(await stateOf(first)).toBe(200)
    const replacement = await pathOf(asked.user_code)
    expect([await stateOf(first), await stateOf(replacement)]).toEqual([409, 200])
    const forged = new Browser()
    await forged.open(replacement.replace(/code=.*/, 'code=ABCD-EFGH'))
    expect(forged.body).not.toContain('ABCD-EFGH')
    const browser = new Browser()
    await browser.open(replacement)
    expect(await browser.decide('allow')).toBe(200)
    expect([await stateOf(replacement), await browser.decide('allow')]).toEqual([409, 409])
    const late = await pathOf((await ask()).user_code)
    ahead += 901_000
    expect(await stateOf(late)).toBe(409)
    for (const path of [
      '/setup/confirm',
      '/setup/confirm?ticket=',
      `/setup/confirm?ticket=prc_${'a'.repeat(43)}`,
    ])
      expect(await stateOf(path), path).toBe(409)
  })

  it('end a link with the token of the operator who created it', async () => {
    const headers = { authorization: `Bearer ${plane.operatorToken}` }
    const url = '/operator/v1/operator-tokens'
    const made = (
      await plane.operator.inject({ method: 'POST', url, headers, payload: { name: 'night shift' } })
    ).json<{ id: string; token: string }>()
    const asked = await ask()
    const { body } = await operator('approve', { user_code: asked.user_code, project: projectId }, made.token)
    const browser = new Browser()
    const path = String(body['url']).slice(plane.config.http.baseUrl.length)
    expect(await browser.open(path)).toBe(200)
    await plane.operator.inject({ method: 'DELETE', url: `${url}/${made.id}`, headers })
    expect(await browser.decide('allow')).toBe(409)
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })
  })

  it('leave an entry naming the operator of the link and the address of the decision, without the link', async () => {
    const asked = await ask('audited')
    const { ticket } = await linkFor(plane, asked.user_code, projectId)
    const browser = new Browser()
    await browser.open(`/setup/confirm?ticket=${ticket}`)
    await browser.decide('allow')
    const entries = await plane.app.core.db.auditEntry.findMany({ orderBy: { id: 'desc' }, take: 2 })
    expect(entries.map(({ action, tokenName }) => [action, tokenName])).toEqual([
      ['setup.allow', 'configured'],
      ['setup.approve', 'configured'],
    ])
    expect(entries[1]?.after).toMatchObject({ project: projectId })
    expect(entries[0]?.after).toMatchObject({ status: 'approved', project: projectId, client: 'audited' })
    expect(
      JSON.stringify(entries, (_, value: unknown) => (typeof value === 'bigint' ? '' : value)),
    ).not.toContain(ticket)
  })

  it('leave an entry of the key that the terminal collected: on whose behalf, from where, without the key', async () => {
    const asked = await ask('audited')
    const browser = await opened(asked.user_code)
    await browser.decide('allow')
    const answer = await poll(asked.setup_token)
    expect(answer.statusCode).toBe(200)
    const { db } = plane.app.core
    const secret = answer.json<{ api_key: string }>().api_key
    const key = await db.apiKey.findUniqueOrThrow({ where: { secretHash: hashSecret(secret) } })
    const setup = await db.setup.findUniqueOrThrow({ where: { tokenHash: hashSecret(asked.setup_token) } })
    const requestId = String(answer.headers['x-request-id'])
    const entries = await db.auditEntry.findMany({ where: { requestId } })
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      action: 'setup.collected',
      target: key.id,
      tokenName: 'configured',
      address: '127.0.0.1',
      tokenId: setup.decidedBy,
      before: null,
      after: { id: key.id, project: projectId, preset: 'agent', setup: setup.id, expires_at: null },
    })
    const text = JSON.stringify(entries[0]?.after)
    for (const hidden of [secret, secret.slice(4), asked.setup_token, hashSecret(secret)])
      expect(text).not.toContain(hidden)
    await poll(asked.setup_token)
    expect(await db.auditEntry.count({ where: { target: key.id } })).toBe(1)
  })

  it('need a code of a waiting terminal', async () => {
    expect((await operator('approve', { user_code: newUserCode() })).status).toBe(404)
    for (const user_code of ['', 'nonsense', 'x'.repeat(101), 7, null])
      expect((await operator('approve', { user_code })).status, String(user_code)).toBe(400)
    expect((await operator('approve', { user_code: newUserCode() }, 'pro_wrong')).status).toBe(401)
  })
})

describe('codes and text', () => {
  it('codes are read in any spelling, and have 40 bits', () => {
    for (let at = 0; at < 200; at++) {
      const code = newUserCode()
      expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/)
      expect(readUserCode(` ${code.toLowerCase().replace('-', ' - ')} `)).toBe(code)
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (typed) => {
        const code = readUserCode(typed)
        if (code !== null) expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/)
      }),
    )
  })

  it('no text becomes markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/)
      }),
    )
  })
})

it('refuses a setup while 10,000 wait, with one query, and accepts it once they have ended', async () => {
  const { db } = plane.app.core
  const end = new Date(clock.now().getTime() + 900_000)
  await db.$executeRaw`insert into setups (id, token_hash, user_code_hash, address, status, created_at, expires_at)
    select 'many_' || n, 'many_' || n, 'many_' || n, '2001:db8::', 'pending', ${clock.now()}, ${end}
    from generate_series(1, 10000) n`
  try {
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const queries = watchQueries()
    const answers = await Promise.all(Array.from({ length: 5 }, () => post('/v1/setup')))
    queries.stop()
    expect(answers.map(codeOf)).toEqual(Array.from({ length: 5 }, () => [429, 'rate_limited']))
    expect(answers[0]?.headers['retry-after']).toBe('60')
    expect(queries.texts.filter((text) => /count.*setups/s.test(text))).toHaveLength(1)
    expect(queries.texts.filter((text) => /insert into .*setups/is.test(text))).toEqual([])
  } finally {
    await db.$executeRaw`delete from setups where id like 'many_%'`
  }
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect((await post('/v1/setup')).statusCode).toBe(201)
})
