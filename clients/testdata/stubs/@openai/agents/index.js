export async function run(agent, input) { return agent.run(input); }
