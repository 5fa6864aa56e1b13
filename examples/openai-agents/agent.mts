import { Agent, MCPServerStreamableHttp, createMCPToolStaticFilter, run } from '@openai/agents'
import { Phonerack } from '@phonerack/sdk'

// The program rents the phone, not the model. The end of the program deletes the phone, even after an error.
await using phone = await new Phonerack().phones.create({ onIdle: 'delete', maxDuration: 600 })

const mcp = new MCPServerStreamableHttp({
  name: 'phonerack',
  url: `${process.env.PHONERACK_BASE_URL}/mcp`,
  requestInit: {
    headers: { Authorization: `Bearer ${process.env.PHONERACK_API_KEY}`, 'Phonerack-Profile': 'guarded' },
  },
  toolFilter: createMCPToolStaticFilter({ allowed: ['observe', 'act'] }),
})
await mcp.connect()
try {
  const agent = new Agent({ name: 'Phone agent', model: 'gpt-5.6', mcpServers: [mcp] })
  const { finalOutput } = await run(
    agent,
    `Use the phone ${phone.id}. In the app com.phonerack.notes, write a note with the title "Milk".`,
    { maxTurns: 30 },
  )
  console.log(finalOutput)
} finally {
  await mcp.close()
}
