/** How to use a key at once, in each way. */
import { Copy } from '../../ui/copy'
import { Tabs } from '../../ui/tabs'

interface Props {
  /** Address of the API. */
  baseUrl: string
  /** Null: a placeholder is shown. */
  apiKey: string | null
}

const placeholder = 'YOUR_KEY'

export const snippetsOf = (baseUrl: string, key: string): readonly (readonly [string, string])[] => [
  [
    'curl',
    `curl -sS -X POST ${baseUrl}/v1/phones \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"my first phone"}'`,
  ],
  [
    'TypeScript',
    `import { Phonerack } from '@phonerack/sdk'

const phonerack = new Phonerack({ baseUrl: '${baseUrl}', apiKey: '${key}' })
const phone = await phonerack.phones.create({ name: 'my first phone' })
console.log((await phone.observe()).text)`,
  ],
  [
    'Python',
    `from phonerack import Phonerack

phonerack = Phonerack(base_url="${baseUrl}", api_key="${key}")
phone = phonerack.phones.create(name="my first phone")
print(phone.observe().text)`,
  ],
  [
    'CLI',
    `printf '%s' '${key}' | phonerack login --base-url ${baseUrl} --key-from-stdin
phonerack phone create --name "my first phone" --use
phonerack phone observe`,
  ],
  [
    'MCP',
    JSON.stringify(
      {
        mcpServers: {
          phonerack: { type: 'http', url: `${baseUrl}/mcp`, headers: { Authorization: `Bearer ${key}` } },
        },
      },
      null,
      2,
    ),
  ],
]

export const Snippets = ({ baseUrl, apiKey }: Props) => (
  <Tabs
    label="Ways to use a key"
    tabs={snippetsOf(baseUrl, apiKey ?? placeholder).map(([name, text]) => [
      name,
      <div key={name} className="relative">
        {/* Scrolls, so it must be reachable by keyboard. */}
        <pre
          tabIndex={0}
          aria-label={`${name} example`}
          className="overflow-x-auto rounded-md border border-border bg-code p-3 pr-12 font-mono text-[13px] leading-relaxed"
        >
          {text}
        </pre>
        <div className="absolute top-1.5 right-1.5 rounded-md bg-code">
          <Copy text={text} what={`${name} example`} />
        </div>
      </div>,
    ])}
  />
)
