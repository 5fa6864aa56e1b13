/**
 * The ports of one data directory. Free ports are picked once and kept, and a port is picked again only when
 * another program uses it.
 */
import { isPortFree, pickPort } from '../processes/ports.js'
import { readJson, writeJson, type Folder } from './folder.js'

export interface Ports {
  http: number
  operator: number
  postgres: number
  nats: number
  grpc: number
  /** The port of `/metrics` in each program. */
  controlMetrics: number
  agentMetrics: number
  phones: number[]
}

const defaultHttpPort = 7700

/**
 * @param wanted the API's port from the command line: null for the kept port, 0 for any free port
 * @param servesApi false: the API's port is only kept, and another program may use it
 * @throws Error when the API's port is in use
 */
export async function allocatePorts(
  folder: Folder,
  wanted: number | null,
  virtualPhones: number,
  servesApi = true,
): Promise<Ports> {
  const kept = (readJson(folder.portsFile) as Partial<Ports> | null) ?? {}
  const taken = new Set<number>()
  const pick = async (preferred?: number) => {
    const port = await pickPort(preferred, taken)
    taken.add(port)
    return port
  }
  const http = wanted === 0 ? await pick(kept.http) : (wanted ?? kept.http ?? defaultHttpPort)
  if (servesApi && !(await isPortFree(http)))
    throw new Error(`port ${http} is in use by another program; choose another port with --port`)
  taken.add(http)
  const ports: Ports = {
    http,
    operator: await pick(kept.operator),
    postgres: await pick(kept.postgres),
    nats: await pick(kept.nats),
    grpc: await pick(kept.grpc),
    controlMetrics: await pick(kept.controlMetrics),
    agentMetrics: await pick(kept.agentMetrics),
    phones: [],
  }
  const keptPhones = kept.phones ?? []
  for (let at = 0; at < virtualPhones; at++) ports.phones.push(await pick(keptPhones[at]))
  // Phones that this start does not use keep their ports, and so their names, for a later start.
  writeJson(folder.portsFile, { ...ports, phones: [...ports.phones, ...keptPhones.slice(virtualPhones)] })
  return ports
}
