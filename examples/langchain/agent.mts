import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { ChatOpenAI } from '@langchain/openai'
import { Phonerack } from '@phonerack/sdk'
import { createAgent } from 'langchain'

// The program rents the phone, not the model. The end of the program deletes the phone, even after an error.
await using phone = await new Phonerack().phones.create({ onIdle: 'delete', maxDuration: 600 })

const mcp = new MultiServerMCPClient({
  phonerack: {
    transport: 'http',
    url: `${process.env.PHONERACK_BASE_URL}/mcp`,
    headers: { Authorization: `Bearer ${process.env.PHONERACK_API_KEY}`, 'Phonerack-Profile': 'guarded' },
  },
})
try {
  const tools = await mcp.getTools()
  const agent = createAgent({
    model: new ChatOpenAI({ model: 'gpt-5.6', useResponsesApi: true }),
    tools: tools.filter(({ name }) => ['observe', 'act'].includes(name)),
  })
  const { messages } = await agent.invoke(
    {
      messages: `Use the phone ${phone.id}. In the app com.phonerack.notes, write a note with the title "Milk".`,
    },
    { recursionLimit: 60 },
  )
  console.log(messages.at(-1)?.text)
} finally {
  await mcp.close()
}
