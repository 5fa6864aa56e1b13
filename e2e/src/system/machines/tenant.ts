/** A tenant on a machine of the test, who sends requests through the proxy with curl. */

export interface CurlAnswer {
  status: number
  /** The body, parsed if it is JSON. */
  body: unknown
}

const limitMs = 90_000

export class TenantByCurl {
  /**
   * @param run runs a script with this input
   * @param ca the file of the proxy's authority
   */
  constructor(
    private readonly run: (script: string, input: string) => Promise<string>,
    private readonly ca: string,
    private readonly key: string,
  ) {}

  get = (path: string, expected: number): Promise<CurlAnswer> => this.expect('GET', path, '', expected)
  delete = (path: string, expected: number): Promise<CurlAnswer> => this.expect('DELETE', path, '', expected)
  post = (path: string, body: unknown, expected: number): Promise<CurlAnswer> =>
    this.expect('POST', path, JSON.stringify(body), expected)

  /** The caller for files in the shared storage of a phone. */
  putText = (path: string, text: string, expected: number): Promise<CurlAnswer> =>
    this.expect('PUT', path, text, expected, 'application/octet-stream')

  /** Repeats the request until it is answered with the status. */
  async until(path: string, expected: number, method = 'POST'): Promise<CurlAnswer> {
    const end = Date.now() + limitMs
    for (;;) {
      const answer = await this.send(method, path, method === 'POST' ? '{}' : '')
      if (answer.status === expected) return answer
      if (Date.now() > end) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }

  private async expect(
    method: string,
    path: string,
    body: string,
    expected: number,
    type?: string,
  ): Promise<CurlAnswer> {
    const answer = await this.send(method, path, body, type)
    if (answer.status !== expected) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }

  private async send(
    method: string,
    path: string,
    body: string,
    type = 'application/json',
  ): Promise<CurlAnswer> {
    const words = [
      ...['curl', '--silent', '--show-error', '--max-time', '100', '--cacert', this.ca, '--request', method],
      ...['--header', `'authorization: Bearer ${this.key}'`, '--write-out', `'\\n%{http_code}'`],
      ...(body === '' ? [] : ['--header', `'content-type: ${type}'`, '--data-binary', '@-']),
      `'https://phones.example${path}'`,
    ]
    const said = await this.run(words.join(' '), body)
    const at = said.lastIndexOf('\n')
    const text = said.slice(0, at)
    return {
      status: Number(said.slice(at + 1)),
      body: /^[{[]/.test(text) ? (JSON.parse(text) as unknown) : text,
    }
  }
}
