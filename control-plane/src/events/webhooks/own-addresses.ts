/** The addresses of this machine, which webhooks must not use. The addresses can change while the machine runs. */
import { networkInterfaces } from 'node:os'

export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
