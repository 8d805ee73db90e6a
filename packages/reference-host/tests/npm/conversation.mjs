// A whole conversation with the agent, held by the client of the npm package (ACP-3).
//
//     node conversation.mjs SESSIONS COMMAND...
//
// SESSIONS is a folder of session logs; COMMAND starts a host, without its composition and options.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

import { ClientSideConnection, PROTOCOL_VERSION, ndJsonStream } from "@agentclientprotocol/sdk";

const CWD = "/srv/orbit/launch-api";
const [sessions, ...command] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "npm-client-"));
const state = join(folder, "state");
const script = join(folder, "script.json");

const say = (text) => ({ type: "text-delta", index: 0, text });
const call = (id, name, args) => ({
  type: "tool-call-delta",
  index: 1,
  id,
  name,
  argumentsDelta: JSON.stringify(args),
});
const replies = [
  [say("I search. "), call("c1", "session_search", { query: "flaky login test" })],
  [call("c1", "session_trace", { session_id: "rate-limiter-41f0.1.1" })],
  [call("c1", "session_event_read", { session_id: "flaky-login-7c1e", seq: 1 })],
  [call("c1", "todo", { todos: [{ content: "Fix the clock", status: "pending" }] })],
  [say("The clock is read twice.")],
  [say("Hm."), { type: "wait" }],
];

class Client {
  updates = [];
  waiting = null;

  async sessionUpdate({ sessionId, update }) {
    this.updates.push({ sessionId, ...update });
    this.waiting?.();
  }

  async requestPermission() {
    throw new Error("nobody expected to be asked");
  }

  of(sessionId, kind) {
    return this.updates.filter((one) => one.sessionId === sessionId && one.sessionUpdate === kind);
  }

  text(sessionId, kind = "agent_message_chunk") {
    return this.of(sessionId, kind)
      .map((one) => one.content.text)
      .join("");
  }

  async until(wanted) {
    while (!this.updates.some(wanted)) {
      await new Promise((resolve) => {
        this.waiting = resolve;
      });
    }
  }
}

async function talking(replies, talk) {
  writeFileSync(script, JSON.stringify({ replies }));
  const [program, ...before] = command;
  const options = ["--composition", "acp-session-query", "--state", state, "--replay", script];
  const agent = spawn(program, [...before, "acp", ...options], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => agent.once("exit", resolve));
  const client = new Client();
  const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
  const connection = new ClientSideConnection(() => client, stream);
  const greeting = await connection.initialize({
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  assert.equal(greeting.protocolVersion, PROTOCOL_VERSION);
  assert.equal(greeting.agentInfo.name, "reference-host");
  const result = await talk(connection, client, greeting);
  agent.stdin.end();
  assert.equal(await ended, 0);
  return result;
}

const prompt = (text) => [{ type: "text", text }];

try {
  cpSync(sessions, join(state, "sessions"), { recursive: true });
  const sessionId = await talking(replies, async (agent, client, greeting) => {
    assert.equal(greeting.agentCapabilities.loadSession, true);
    const { sessionId } = await agent.newSession({ cwd: CWD, mcpServers: [] });
    const first = { sessionId, prompt: prompt("Why does the login test fail?") };
    assert.equal((await agent.prompt(first)).stopReason, "end_turn");
    assert.equal(client.text(sessionId), "I search. The clock is read twice.");
    const answers = client
      .of(sessionId, "tool_call_update")
      .filter((one) => one.status === "completed")
      .map((one) => one.content[0].content.text);
    assert.equal(answers.length, 4);
    assert.match(answers[0], /session "flaky-login-7c1e"/);
    assert.match(answers[1], /"rate-limiter-41f0"/);
    assert.match(answers[2], /POL-358/);
    assert.equal(client.of(sessionId, "plan")[0].entries[0].content, "Fix the clock");

    const turn = agent.prompt({ sessionId, prompt: prompt("Think.") });
    await client.until((one) => one.content?.text === "Hm.");
    await assert.rejects(agent.prompt({ sessionId, prompt: prompt("Me too.") }), /running/);
    await agent.cancel({ sessionId });
    assert.equal((await turn).stopReason, "cancelled");

    const listed = (await agent.listSessions({ cwd: CWD })).sessions;
    assert.equal(listed[0].sessionId, sessionId);
    assert.equal(listed[0].title, "Why does the login test fail?");
    assert.ok(listed.length > 5);
    return sessionId;
  });

  await talking([[say("Again.")]], async (agent, client) => {
    const elsewhere = agent.loadSession({ sessionId, cwd: "/srv", mcpServers: [] });
    await assert.rejects(elsewhere, /another working directory/);
    await agent.loadSession({ sessionId, cwd: CWD, mcpServers: [] });
    assert.equal(client.text(sessionId), "I search. The clock is read twice.Hm.");
    assert.match(client.text(sessionId, "user_message_chunk"), /^Why does the login test fail\?/);
    const fork = await agent.unstable_forkSession({ sessionId, cwd: CWD, mcpServers: [] });
    const again = { sessionId: fork.sessionId, prompt: prompt("Again.") };
    assert.equal((await agent.prompt(again)).stopReason, "end_turn");
    await agent.closeSession({ sessionId });
    await assert.rejects(agent.prompt({ ...again, sessionId }), /load it first/);
    await agent.resumeSession({ sessionId, cwd: CWD, mcpServers: [] });
  });
  console.log("The npm client held the whole conversation.");
} finally {
  rmSync(folder, { recursive: true });
}
