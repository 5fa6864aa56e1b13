/** Examples of using a key, one for each kind of client. */
import { Code } from '../../ui/code'
import { Tabs } from '../../ui/tabs'

interface Props {
  /** Address of the API. */
  baseUrl: string
  /** Null: the examples show a placeholder. */
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
      <Code key={name} text={text} what={`${name} example`} />,
    ])}
  />
)
