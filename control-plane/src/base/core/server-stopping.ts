/** The abort reason of a request's signal when the server stops, as opposed to a closed connection. */
export class ServerStopping extends Error {
  override readonly name = 'ServerStopping'
  constructor() {
    super('the server stops')
  }
}
