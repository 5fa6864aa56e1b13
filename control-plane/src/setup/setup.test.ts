// A terminal's setup from its request to its key, over real Postgres, with the page that a person uses.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { createProject } from '../operator/projects.js'
import { startWorld, type Plane, type World } from '../testing/world.js'
import { escapeHtml } from './html.js'
import { newUserCode, readUserCode } from './user-code.js'

let world: World
let plane: Plane
let beside: Plane
let projectId: string
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }

beforeAll(async () => {
  world = startWorld()
  plane = await world.start({ clock })
  beside = await world.start({ clock, beside: plane })
  projectId = (await createProject(plane.app.core, { name: 'Apples & "Pears"' })).id
}, 60_000)
afterAll(() => world.stop())
// Rates are per minute: each test has a minute of its own.
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

/** What a browser does with the page: keeps the cookie, sends the form's hidden fields. */
class Browser {
  private cookie = ''
  private hidden: Record<string, string> = {}
  body = ''

  async open(): Promise<number> {
    return this.take(await plane.server.inject({ method: 'GET', url: '/setup' }))
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

  review = (user_code: string, operator_token = plane.operatorToken) =>
    this.submit('/setup/review', { user_code, operator_token })
  decide = (decision: string) => this.submit('/setup/decide', { decision, project: projectId })

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

const opened = async () => {
  const browser = new Browser()
  expect(await browser.open()).toBe(200)
  return browser
}

describe('a setup', () => {
  it('is confirmed by a person and delivers its key once, which works', async () => {
    const asked = await ask('tidy-agent <v1>')
    expect(asked).toMatchObject({
      verification_url: `${plane.config.http.baseUrl}/setup`,
      expires_in: 900,
      interval: 3,
    })
    expect(asked.setup_token).toMatch(/^prs_[A-Za-z0-9_-]{43}$/)
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })

    const browser = await opened()
    expect(await browser.review(asked.user_code.toLowerCase().replace('-', ' '))).toBe(200)
    expect(browser.body).toContain('tidy-agent &lt;v1&gt;')
    expect(browser.body).toContain('127.0.0.1')
    expect(browser.body).toContain('Apples &amp; &quot;Pears&quot;')
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })
    expect(await browser.decide('allow')).toBe(200)

    // Two replicas are asked at once: one of them delivers.
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

  it('is named generically without a client', async () => {
    const asked = await ask()
    const browser = await opened()
    await browser.review(asked.user_code)
    await browser.decide('allow')
    expect((await poll(asked.setup_token)).statusCode).toBe(200)
    expect(await plane.app.core.db.apiKey.count({ where: { name: 'Terminal setup' } })).toBe(1)
  })

  it('that is denied says so, again and again', async () => {
    const asked = await ask('x')
    const browser = await opened()
    await browser.review(asked.user_code)
    expect(await browser.decide('deny')).toBe(200)
    expect(codeOf(await poll(asked.setup_token))).toEqual([403, 'setup_denied'])
    expect(codeOf(await poll(asked.setup_token))).toEqual([403, 'setup_denied'])
    expect(await browser.decide('allow')).toBe(409)
    expect(codeOf(await poll(asked.setup_token))).toEqual([403, 'setup_denied'])
  })

  it('expires after 15 minutes, confirmed or not', async () => {
    const [waiting, confirmed] = [await ask(), await ask()]
    const browser = await opened()
    await browser.review(confirmed.user_code)
    await browser.decide('allow')
    ahead += 899_000
    expect((await poll(waiting.setup_token)).json()).toEqual({ status: 'pending' })
    ahead += 2000
    for (const { setup_token: token } of [waiting, confirmed])
      expect(codeOf(await poll(token))).toEqual([409, 'setup_expired'])
    expect(await browser.review(waiting.user_code)).toBe(403)
  })

  it('waits while its project has 50 active keys', async () => {
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
    const browser = await opened()
    await browser.review(asked.user_code)
    await browser.submit('/setup/decide', { decision: 'allow', project: full.id })
    expect(codeOf(await poll(asked.setup_token))).toEqual([409, 'key_limit'])
    await plane.app.core.db.apiKey.update({ where: { id: 'key_full0' }, data: { revokedAt: now } })
    expect((await poll(asked.setup_token)).statusCode).toBe(200)
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
  ])('%s refuses %j', async (url, body) => {
    expect(codeOf(await post(url, body))).toEqual([400, 'validation_failed'])
  })

  it('take 1 and 60 characters, know no token that was never given, and refuse browsers', async () => {
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

  it('give nothing for the user code alone', async () => {
    const { user_code: code } = await ask()
    expect(codeOf(await poll(code))).toEqual([400, 'validation_failed'])
    const headers = { authorization: `Bearer ${code}` }
    expect(codeOf(await plane.server.inject({ url: '/v1/account', headers }))).toEqual([
      401,
      'invalid_api_key',
    ])
  })

  it('are limited: 10 a minute by address, 60 polls a minute by setup', async () => {
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

describe('the page', () => {
  it('takes no form that is not its own', async () => {
    const asked = await ask()
    const browser = await opened()
    const fields = { user_code: asked.user_code, operator_token: plane.operatorToken }
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { cookie: '' },
      { cookie: 'phonerack_setup=' },
      { cookie: 'phonerack_setup=another' },
    ])
      expect(await browser.submit('/setup/review', fields, headers), JSON.stringify(headers)).toBe(403)
    expect(await browser.submit('/setup/review', { ...fields, csrf: '' })).toBe(403)
    expect(await browser.submit('/setup/review', fields)).toBe(200)
    expect(
      await browser.submit('/setup/decide', { decision: 'allow', project: projectId, ticket: 'x' }),
    ).toBe(409)
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })
  })

  it('answers text that cannot be stored, and a token with other bytes, like any wrong one', async () => {
    const asked = await ask()
    const browser = await opened()
    const fields = { user_code: asked.user_code, operator_token: plane.operatorToken }
    expect(await browser.submit('/setup/review', { ...fields, csrf: 'é'.repeat(43) })).toBe(403)
    for (const text of ['a\0b', '\ud800', 'a'.repeat(9000)]) {
      const typed = { user_code: text, operator_token: text, csrf: text }
      for (const [name, value] of Object.entries(typed))
        expect(await browser.submit('/setup/review', { ...fields, [name]: value }), name).toBe(403)
    }
    expect(await browser.submit('/setup/review', fields)).toBe(200)
    for (const project of ['a\0b', '\ud800', 'proj_aaaaaaaaaaaa'])
      expect(await browser.submit('/setup/decide', { decision: 'allow', project })).toBe(409)
    expect((await poll(asked.setup_token)).json()).toEqual({ status: 'pending' })
  })

  it('needs the operator token', async () => {
    const asked = await ask()
    const browser = await opened()
    expect(await browser.review(asked.user_code, 'pro_wrong')).toBe(403)
    expect(await browser.review(asked.user_code, `pro_${'a'.repeat(43)}`)).toBe(403)
    expect(browser.body).not.toContain('Allow')
  })

  it('gives five tries at a code, then none for 15 minutes, right or wrong', async () => {
    const asked = await ask()
    const browser = await opened()
    for (let at = 0; at < 5; at++) expect(await browser.review(newUserCode())).toBe(403)
    expect(await browser.review(asked.user_code)).toBe(429)
    ahead += 901_000
    const later = await ask()
    expect(await browser.review(later.user_code)).toBe(200)
    for (let at = 0; at < 4; at++) expect(await browser.review('ZZZZ-ZZZZ')).toBe(403)
    // A right one begins the count anew.
    const again = await ask()
    expect(await browser.review(again.user_code)).toBe(200)
    expect(await browser.review('nonsense')).toBe(403)
  })
})

describe('codes and text', () => {
  it('codes are read however they are typed, and have 40 bits', () => {
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
