// Setup of vitest. The keys of NATS sign with tweetnacl, which is JavaScript and takes 25 ms of a core per
// signature, which is 3 % of the gate. Node's crypto replaces it with the same results. The end-to-end tests
// keep tweetnacl.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import nacl from 'tweetnacl'

const privateHead = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicHead = Buffer.from('302a300506032b6570032100', 'hex')
const derOf = (head, raw, type) => ({ key: Buffer.concat([head, raw]), format: 'der', type })
const privateKey = (seed) => createPrivateKey(derOf(privateHead, seed, 'pkcs8'))
const publicKey = (raw) => createPublicKey(derOf(publicHead, raw, 'spki'))

nacl.sign.keyPair.fromSeed = (seed) => {
  const raw = createPublicKey(privateKey(seed)).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { publicKey: new Uint8Array(raw), secretKey: new Uint8Array([...seed, ...raw]) }
}
const detached = (message, secretKey) =>
  new Uint8Array(sign(null, message, privateKey(secretKey.subarray(0, 32))))
nacl.sign.detached = Object.assign(detached, {
  verify: (message, signature, raw) => verify(null, message, publicKey(raw), signature),
})
