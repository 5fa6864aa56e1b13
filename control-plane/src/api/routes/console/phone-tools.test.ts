// Requests to a phone in the console: apps, recordings, files, clipboard, location, log and screen. The agent is a double.
import { beforeAll, expect, it } from 'vitest'
import { type AgentDouble } from '../../../testing/agent-double.js'
import { makeApk } from '../../../testing/apk.js'
import { consoleUser, type ConsoleClient } from '../../../testing/console-client.js'
import { readyPhone } from '../../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let at: string
let project: string
let viewer: ConsoleClient
let member: { client: ConsoleClient; userId: string }
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_UPLOAD_FILE_MAX: '1000000' } })
  agent = await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  project = `/projects/${tenant.projectId}`
  at = `${project}/phones/${await readyPhone(plane, tenant)}`
  viewer = (await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })).client
  member = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
})

const codeOf = ({ body }: { body: Record<string, unknown> }) => (body['error'] as { code: string }).code

it('an app is sent, read and installed, even while the member controls the phone', async () => {
  const { client } = member
  const taken = await client.ask('POST', `${at}/control`, { body: {} })
  const sent = await client.ask('POST', `${project}/uploads`, {
    body: makeApk({ package: 'com.example.dropped' }),
  })
  expect([sent.status, sent.body]).toMatchObject([200, { status: 'ready', package: 'com.example.dropped' }])
  const { id } = sent.body as { id: string }
  expect((await viewer.ask('GET', `${project}/uploads/${id}`)).body).toMatchObject({ id, status: 'ready' })
  const started = await client.ask('POST', `${at}/installs`, { body: { upload: id } })
  expect([started.status, started.body]).toMatchObject([202, { upload: id, package: 'com.example.dropped' }])
  await eventually(async () => {
    const { data } = (await viewer.ask('GET', `${at}/installs`)).body as { data: { status: string }[] }
    return data[0]?.status === 'succeeded'
  })
  const { id: handoff } = (taken.body as { control: { id: string } }).control
  await client.ask('POST', `${at}/control/${handoff}/end`, { body: { note: '' } })

  // The activity names the user.
  const find = () => plane.app.core.db.activity.findMany({ where: { keyId: member.userId } })
  await eventually(async () => (await find()).length === 4)
  expect((await find()).map(({ method, route }) => `${method} ${route.replace(/.*:project/, '')}`)).toEqual([
    'POST /phones/:phone/control',
    'POST /uploads',
    'POST /phones/:phone/installs',
    'POST /phones/:phone/control/:handoff/end',
  ])
})

it('a file that is not an app, or too large, is refused with a reason, and a viewer sends none', async () => {
  const send = (client: ConsoleClient, body: Buffer) => client.ask('POST', `${project}/uploads`, { body })
  const wrong = await send(member.client, Buffer.from('<script>alert(1)</script>'))
  expect(wrong.body).toMatchObject({ status: 'invalid_apk', error: { code: 'invalid_apk' } })
  const large = await send(member.client, Buffer.alloc(1_000_001))
  expect(large.body).toMatchObject({ status: 'too_large', error: { code: 'payload_too_large' } })
  const uploads = () => plane.app.core.db.upload.count({ where: { projectId: tenant.projectId } })
  const before = await uploads()
  expect(codeOf(await send(viewer, makeApk()))).toBe('insufficient_scope')
  expect(await uploads()).toBe(before)
})

it('an app of another project is not found', async () => {
  const other = await plane.tenant({ credit: '10' })
  const { client } = await consoleUser(plane, { role: 'owner', projectId: other.projectId })
  const { body } = await client.ask('POST', `/projects/${other.projectId}/uploads`, {
    body: makeApk({ package: 'com.example.theirs' }),
  })
  const id = String(body['id'])
  expect(codeOf(await member.client.ask('GET', `${project}/uploads/${id}`))).toBe('upload_not_found')
  const install = await member.client.ask('POST', `${at}/installs`, { body: { upload: id } })
  expect(codeOf(install)).toBe('upload_not_found')
})

it('a recording is started and stopped by a member, and played by a viewer in parts', async () => {
  const { client } = member
  expect(codeOf(await viewer.ask('POST', `${at}/recordings`, { body: {} }))).toBe('insufficient_scope')
  const { status, body } = await client.ask('POST', `${at}/recordings`, { body: { name: '<b>sign-in</b>' } })
  expect([status, body]).toMatchObject([201, { name: '<b>sign-in</b>', status: 'recording' }])
  const path = `${at}/recordings/${String(body['id'])}`
  await client.ask('POST', `${path}/stop`, { body: {} })
  expect(codeOf(await viewer.ask('GET', `${path}/video`))).toBe('recording_not_ready')
  agent.recordings.finish(String(body['id']))
  await eventually(async () => {
    const { data } = (await viewer.ask('GET', `${at}/recordings`)).body as { data: { status: string }[] }
    return data[0]?.status === 'ready'
  })
  const { video } = agent.recordings
  const all = await viewer.ask('GET', `${path}/video`)
  expect([all.status, all.bytes.equals(video)]).toEqual([200, true])
  expect(all.headers).toMatchObject({
    'content-type': 'video/mp4',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  const part = await viewer.ask('GET', `${path}/video`, { headers: { range: 'bytes=100-' } })
  expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 100-199999/${video.length}`])
  expect(part.bytes.equals(video.subarray(100))).toBe(true)
  const outside = await viewer.ask('GET', `${path}/video`, { headers: { range: 'bytes=200000-' } })
  expect([outside.status, outside.headers['content-range']]).toEqual([416, `bytes */${video.length}`])
  // Another site cannot show the video.
  const foreign = await viewer.ask('GET', `${path}/video`, { headers: { 'sec-fetch-site': 'cross-site' } })
  expect(foreign.status).toBe(403)
  expect((await client.ask('DELETE', path)).body).toMatchObject({ deleted: true })
})

it('files are listed, read, written and deleted inside the shared storage only', async () => {
  const { client } = member
  const file = `${at}/files?path=${encodeURIComponent('/sdcard/Download/a "b".html')}`
  const content = Buffer.from('<script>alert(1)</script>')
  expect((await client.ask('PUT', file, { body: content })).body).toMatchObject({ size: content.length })
  const read = await viewer.ask('GET', file.replace('/files?', '/files/content?'))
  expect([read.status, read.bytes.equals(content)]).toEqual([200, true])
  expect(read.headers).toMatchObject({ 'content-type': 'application/octet-stream' })
  expect(String(read.headers['content-disposition'])).toMatch(/^attachment; filename="a \\"b\\".html"/)
  agent.held.files = ['a "b".html']
  expect((await viewer.ask('GET', `${at}/files?path=/sdcard/Download`)).body).toMatchObject({
    path: '/sdcard/Download',
    data: [{ name: 'a "b".html', type: 'file', size: 5 }],
  })
  for (const path of ['/data', '/sdcard/../data', '/sdcard'])
    expect(codeOf(await client.ask('PUT', `${at}/files?path=${path}`, { body: content }))).toBe(
      'validation_failed',
    )
  expect(codeOf(await viewer.ask('DELETE', file))).toBe('insufficient_scope')
  expect((await client.ask('DELETE', file)).body).toMatchObject({ deleted: true })
})

it('the clipboard is for members, and location, log and screen for viewers too', async () => {
  const { client } = member
  expect((await client.ask('PUT', `${at}/clipboard`, { body: { text: 'a code' } })).status).toBe(200)
  expect((await client.ask('GET', `${at}/clipboard`)).body).toEqual({ text: 'a code' })
  expect(codeOf(await viewer.ask('GET', `${at}/clipboard`))).toBe('insufficient_scope')
  const location = { lat: 52.5, lng: 13.4 }
  expect((await client.ask('PUT', `${at}/location`, { body: location })).body).toMatchObject(location)
  expect((await viewer.ask('GET', `${at}/location`)).body).toEqual(location)
  expect(codeOf(await client.ask('PUT', `${at}/location`, { body: { lat: 91, lng: 0 } }))).toBe(
    'validation_failed',
  )
  expect((await viewer.ask('GET', `${at}/logs?level=warn`)).body).toMatchObject({ next_cursor: null })
  expect(codeOf(await viewer.ask('GET', `${at}/logs?level=loud`))).toBe('validation_failed')
  const screen = await viewer.ask('GET', `${at}/screen`)
  expect([screen.status, screen.body]).toMatchObject([200, { snapshot_id: expect.any(String) as unknown }])
})
