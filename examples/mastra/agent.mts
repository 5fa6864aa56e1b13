import { Agent } from '@mastra/core/agent'
import { MCPClient } from '@mastra/mcp'
import { Phonerack } from '@phonerack/sdk'

// The program rents the phone, not the model. The end of the program deletes the phone, even after an error.
await using phone = await new Phonerack().phones.create({ onIdle: 'delete', maxDuration: 600 })

const mcp = new MCPClient({
  servers: {
    phonerack: {
      url: new URL(`${process.env.PHONERACK_BASE_URL}/mcp`),
      requestInit: {
        headers: { Authorization: `Bearer ${process.env.PHONERACK_API_KEY}`, 'Phonerack-Profile': 'guarded' },
      },
      forwardInstructions: true,
      instructionsMaxLength: 2000,
    },
  },
})
try {
  const { phonerack_observe, phonerack_act } = await mcp.listTools()
  const agent = new Agent({
    id: 'phone-agent',
    name: 'Phone agent',
    instructions: 'You use a phone.',
    model: 'openai/gpt-5.6',
    tools: { phonerack_observe, phonerack_act },
  })
  const { text } = await agent.generate(
    `Use the phone ${phone.id}. In the app com.phonerack.notes, write a note with the title "Milk".`,
    { maxSteps: 30 },
  )
  console.log(text)
} finally {
  await mcp.disconnect()
}
