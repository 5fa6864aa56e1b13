/** The reason of a request's signal that aborts because the server stops, not because its client has gone. */
export class ServerStopping extends Error {
  override readonly name = 'ServerStopping'
  constructor() {
    super('the server stops')
  }
}
