import { query } from '@anthropic-ai/claude-agent-sdk'
import { Phonerack } from '@phonerack/sdk'

// The program rents the phone, not the model. The end of the program deletes the phone, even after an error.
await using phone = await new Phonerack().phones.create({ onIdle: 'delete', maxDuration: 600 })

const messages = query({
  prompt: `Use the phone ${phone.id}. In the app com.phonerack.notes, write a note with the title "Milk".`,
  options: {
    mcpServers: {
      phonerack: {
        type: 'http',
        url: `${process.env.PHONERACK_BASE_URL}/mcp`,
        headers: { Authorization: `Bearer ${process.env.PHONERACK_API_KEY}`, 'Phonerack-Profile': 'guarded' },
      },
    },
    // The agent gets no files and no shell, and may call only two tools of Phonerack.
    tools: [],
    allowedTools: ['mcp__phonerack__observe', 'mcp__phonerack__act'],
    permissionMode: 'dontAsk',
    settingSources: [],
    maxTurns: 30,
  },
})
for await (const message of messages) {
  if (message.type !== 'result') continue
  if (message.subtype !== 'success' || message.is_error) throw new Error(JSON.stringify(message))
  console.log(message.result)
}
