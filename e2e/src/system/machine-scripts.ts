/** Small programs that tests run on separate machines: `node --input-type=module -e SCRIPT ARGUMENT …`. */

/** Postgres at the loopback address of its machine. */
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

/** Prints the first host or device once it has the state. One process, since each start of `ctl` takes half a second. */
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
