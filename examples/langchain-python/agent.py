import asyncio
import os

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from phonerack import AsyncPhonerack


async def main() -> None:
    # The program rents the phone, not the model. The end of the program deletes the phone, even after an error.
    async with AsyncPhonerack() as phonerack, await phonerack.phones.create(
        on_idle="delete", max_duration=600
    ) as phone:
        mcp = MultiServerMCPClient(
            {
                "phonerack": {
                    "transport": "streamable_http",
                    "url": f"{os.environ['PHONERACK_BASE_URL']}/mcp",
                    "headers": {
                        "Authorization": f"Bearer {os.environ['PHONERACK_API_KEY']}",
                        "Phonerack-Profile": "guarded",
                    },
                }
            }
        )
        tools = [tool for tool in await mcp.get_tools() if tool.name in ("observe", "act")]
        agent = create_agent(ChatOpenAI(model="gpt-5.6", use_responses_api=True), tools)
        task = f'Use the phone {phone.id}. In the app com.phonerack.notes, write a note with the title "Milk".'
        state = await agent.ainvoke({"messages": [("user", task)]}, {"recursion_limit": 60})
        print(state["messages"][-1].text)


asyncio.run(main())
