/**
 * A client of the official SDK signs in by OAuth, a person consents in Chromium, and revokes the client's
 * access in the console.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type OAuthClientInformationMixed, type OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import { axeFindings, becomeOperator, consolePassword, newPage } from './system/console-pages.js'
import { type System } from './system/system.js'

const run = Date.now().toString(36)
const email = `otto-${run}@example.com`
const wide = { viewport: { width: 1440, height: 900 } }
const complaints: string[] = []

let system: System
let browser: Browser
let owner: Page
let server: Server
/** The query with which the browser returned. */
let returned: URLSearchParams | null = null

beforeAll(async () => {
  system = inject('system')
  browser = await openBrowser()
  owner = await newPage(browser, wide, complaints)
  await becomeOperator(owner, system, { name: 'Otto', email })
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname === '/callback') returned = url.searchParams
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>back</title>Connected.')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
}, 200_000)
afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
})

/** A program that keeps its tokens in memory. */
function program() {
  const kept: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; url?: URL } =
    {}
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: `Agent <b> ${run}`, redirect_uris: [redirectUrl] },
    state: () => '0012345678901234567890',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.url = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    invalidateCredentials: () => void delete kept.tokens,
    codeVerifier: () => kept.verifier ?? '',
  }
  const connect = () => {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(system.up.mcp_url), {
      authProvider: provider,
    })
    return { client, transport, opened: client.connect(transport) }
  }
  return { kept, connect }
}

it('connects after a sign-in and a consent, uses a tool, and is refused after its revocation', async () => {
  const { kept, connect } = program()
  const first = connect()
  await expect(first.opened).rejects.toBeInstanceOf(UnauthorizedError)

  const page = await newPage(browser, wide, complaints)
  await page.goto(String(kept.url))
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(consolePassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Connect an app' }).waitFor()
  await page.getByText(`Agent <b> ${run}`).waitFor()
  await page
    .getByText(new URL(String(kept.url)).searchParams.get('redirect_uri')?.slice(7, 22) ?? '')
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Project' }).selectOption(system.up.project.id)
  await page.getByLabel('Rights').selectOption('read-only')
  await page.setViewportSize({ width: 375, height: 812 })
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Connected.').waitFor()
  expect(returned?.get('state')).toBe('0012345678901234567890')

  await first.transport.finishAuth(returned?.get('code') ?? '')
  expect(kept.tokens?.scope).toBe('phones:read')
  const { client, opened } = connect()
  await opened
  const account = await client.callTool({ name: 'get_account', arguments: {} })
  expect(account.structuredContent).toHaveProperty('balance_usd')

  await owner.goto(`${new URL(owner.url()).origin}/console/projects/${system.up.project.id}/keys`)
  await owner.getByText('connector of 127.0.0.1').first().waitFor()
  await owner.getByRole('button', { name: `Revoke Agent <b> ${run}` }).click()
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Revoke access' }).click()
  await owner.getByText(`Agent <b> ${run} was revoked.`).waitFor()

  const access = kept.tokens?.access_token
  const refused = await fetch(system.up.mcp_url, {
    method: 'POST',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
  })
  expect(refused.status).toBe(401)
  await expect(client.callTool({ name: 'get_account', arguments: {} })).rejects.toBeInstanceOf(
    UnauthorizedError,
  )
  await client.close()
})

it('had no error, and violated no policy', () => {
  expect(complaints.filter((text) => !/status of (401|403|404)/.test(text))).toEqual([])
})
