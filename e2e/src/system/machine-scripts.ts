/** Small programs that tests run on separate machines: `node --input-type=module -e SCRIPT ARGUMENT …`. */

/** Runs Postgres at the loopback address of its machine. */
export const postgresScript = `
  import { startPostgres } from '@phonerack/launcher/postgres'
  const server = await startPostgres({ dir: process.argv[1], forTests: true })
  console.log(await server.createDatabase('phonerack'))
  process.once('SIGTERM', () => server.stop().then(() => process.exit(0)))
  setInterval(() => undefined, 1000)`

/** A TLS proxy in front of the API. It answers once the API is ready. */
export const proxyScript = `
  import { readFileSync } from 'node:fs'
  import { connect } from 'node:net'
  import { createServer } from 'node:tls'
  const [, dir, host] = process.argv
  const isReady = () => fetch('http://' + host + ':8080/readyz').then((answer) => answer.ok, () => false)
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 100))
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(dir + '/' + name))
  createServer({ cert, key }, (client) => {
    const api = connect(8080, host)
    client.pipe(api).pipe(client)
    for (const each of [client, api]) each.on('error', () => { client.destroy(); api.destroy() })
  }).listen(443, host, () => console.log('proxy is ready'))`

/**
 * Prints the first host or device once it has the state. This is one process, since each start of `ctl` takes
 * half a second.
 */
export const waitScript = `
  const [, url, token, list, state] = process.argv
  for (;;) {
    const answer = await fetch(url + '/operator/v1/' + list, { headers: { authorization: 'Bearer ' + token } })
    const [first] = (await answer.json()).data
    if (first?.state === state) {
      console.log(JSON.stringify(first))
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }`

/**
 * The TLS proxy of the operator's guide. It asks each replica whether it is ready, uses the replicas in turn,
 * and tries another replica only if the first did not accept the connection.
 */
export const balancerScript = `
  import { readFileSync } from 'node:fs'
  import { connect } from 'node:net'
  import { createServer } from 'node:tls'
  const [, dir, host, ...replicas] = process.argv
  const ready = new Set()
  const look = (replica) =>
    fetch('http://' + replica + ':8080/readyz', { signal: AbortSignal.timeout(2000) }).then(
      (answer) => (answer.ok ? ready.add(replica) : ready.delete(replica)),
      () => ready.delete(replica),
    )
  for (const replica of replicas) setInterval(() => look(replica), 500)
  let turn = 0
  const pass = (client, waiting) => {
    const replica = waiting.shift()
    if (replica === undefined) return client.destroy()
    const api = connect(8080, replica)
    const onRefusal = () => { ready.delete(replica); pass(client, waiting) }
    api.once('error', onRefusal)
    api.once('connect', () => {
      api.off('error', onRefusal)
      for (const each of [client, api]) each.on('error', () => { client.destroy(); api.destroy() })
      client.pipe(api).pipe(client)
    })
  }
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(dir + '/' + name))
  const server = createServer({ cert, key }, (client) => {
    client.on('error', () => client.destroy())
    const all = [...ready]
    turn += 1
    pass(client, all.map((_, at) => all[(at + turn) % all.length]))
  })
  server.listen(443, host, () => console.log('the proxy listens'))`

/** The connections of two live pages, without a browser. Prints their events. */
export const liveViewsScript = `
  import { readFileSync } from 'node:fs'
  import { WebSocket } from 'ws'
  const [, module, ca, url, token] = process.argv
  globalThis.WebSocket = class extends WebSocket {
    constructor(at, offered) {
      super(at, offered, { origin: 'https://phones.example', ca: readFileSync(ca) })
      this.on('error', () => undefined)
    }
  }
  globalThis.document = Object.assign(new EventTarget(), { hidden: false })
  globalThis.addEventListener = () => undefined
  const { Connection } = await import(module)
  const view = () =>
    new Promise((resolve) => {
      let isBlank = true
      const listener = {
        onOpen() { isBlank = true; console.log('open'); resolve() },
        onVideo() { if (isBlank) console.log('video'); isBlank = false },
        onMessage() {},
        onRetry() { console.log('again') },
        onOver(reason) { console.log('over: ' + reason) },
      }
      new Connection(url, token, listener).connect()
    })
  await view()
  await view()`
