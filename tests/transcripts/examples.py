"""A small session of each assistant and framework, to be damaged in every way."""

from typing import Any

RAN = {"command": "ls"}
TEXT = [{"type": "text", "text": "hi"}]
USED = {"type": "tool_use", "id": "t1", "name": "Bash", "input": RAN}
TOLD = {"type": "tool_result", "tool_use_id": "t1", "content": TEXT, "is_error": True}
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "gemini": [
        {"sessionId": "g", "projectHash": "0", "messages": []},
        {
            "id": "1",
            "type": "user",
            "content": [{"text": "hi"}],
            "timestamp": "2026-01-01T00:00:00Z",
        },
        {
            "id": "2",
            "type": "gemini",
            "content": "",
            "toolCalls": [
                {
                    "id": "c",
                    "name": "shell",
                    "args": RAN,
                    "status": "success",
                    "result": [{"functionResponse": {"response": {"output": "a\nExit Code: 1"}}}],
                }
            ],
        },
        {"$set": {"directories": ["/a"]}},
        {"$rewindTo": "1"},
    ],
    "qwen": [
        {
            "sessionId": "q",
            "uuid": "1",
            "type": "assistant",
            "cwd": "/a",
            "message": {"parts": [{"functionCall": {"id": "c", "name": "ls", "args": RAN}}]},
        },
        {
            "sessionId": "q",
            "uuid": "2",
            "parentUuid": "1",
            "type": "tool_result",
            "message": {"parts": [{"functionResponse": {"id": "c", "response": {"output": "a"}}}]},
            "toolCallResult": {"status": "cancelled"},
        },
    ],
    "opencode": [
        {
            "info": {"id": "ses_1", "directory": "/a"},
            "messages": [
                {
                    "info": {
                        "role": "assistant",
                        "time": {"created": 1777398783548},
                        "path": {"cwd": "/a"},
                    },
                    "parts": [
                        {"type": "text", "text": "hi"},
                        {
                            "type": "tool",
                            "tool": "bash",
                            "callID": "c",
                            "state": {
                                "status": "completed",
                                "input": RAN,
                                "output": "a",
                                "metadata": {"exit": 1},
                                "time": {"start": 1, "end": 2},
                            },
                        },
                    ],
                }
            ],
        }
    ],
    "copilot": [
        {
            "type": "session.start",
            "data": {"sessionId": "c", "context": {"cwd": "/a", "gitRoot": "/a"}},
        },
        {
            "type": "assistant.message",
            "parentId": "x",
            "id": "1",
            "data": {
                "content": "",
                "toolRequests": [{"toolCallId": "t", "name": "bash", "arguments": RAN}],
            },
        },
        {
            "type": "tool.execution_complete",
            "parentId": "x",
            "data": {"toolCallId": "t", "success": True, "result": {"content": "a"}, "error": {}},
        },
    ],
    "vscode": [
        {"kind": 0, "v": {"creationDate": 1, "requests": []}},
        {
            "kind": 2,
            "k": ["requests"],
            "v": [
                {
                    "requestId": "1",
                    "timestamp": 1,
                    "message": {"text": "hi"},
                    "response": [
                        {"value": "a", "baseUri": {"path": "/a"}},
                        {
                            "kind": "toolInvocationSerialized",
                            "toolId": "x",
                            "toolCallId": "y",
                            "isComplete": True,
                            "resultDetails": {"input": "{}", "isError": True},
                        },
                    ],
                    "result": {
                        "metadata": {
                            "toolCallRounds": [
                                {"toolCalls": [{"id": "c", "name": "ls", "arguments": "{}"}]}
                            ],
                            "toolCallResults": {
                                "c": {"content": [{"value": {"node": {"children": []}}}]}
                            },
                        }
                    },
                }
            ],
        },
        {"kind": 1, "k": ["requests", 0, "message", "text"], "v": "ho"},
    ],
    "cursor": [
        {"type": "thinking", "session_id": "s", "subtype": "delta"},
        {
            "type": "tool_call",
            "subtype": "completed",
            "call_id": "c",
            "session_id": "s",
            "tool_call": {"shellToolCall": {"args": RAN, "result": {"success": {"exitCode": 1}}}},
        },
    ],
    "cursor database": [
        {
            "composer": {"composerId": "k", "workspaceIdentifier": {"uri": {"fsPath": "/a"}}},
            "bubbles": [
                {
                    "type": 2,
                    "bubbleId": "b",
                    "text": "hi",
                    "toolFormerData": {
                        "name": "x",
                        "rawArgs": "{}",
                        "status": "error",
                        "error": "{}",
                    },
                }
            ],
        },
        {
            "agent": {"agentId": "a"},
            "binary": 3,
            "messages": [
                {"role": "assistant", "content": [{"type": "tool-call", "toolName": "x"}]}
            ],
        },
    ],
    "cline": [
        {"role": "user", "content": [{"type": "text", "text": "<task>hi</task>"}], "ts": 1},
        {
            "role": "assistant",
            "content": [USED, {"type": "text", "text": "<read_file><path>a</path>"}],
        },
        {"role": "user", "content": [TOLD]},
        {"ts": 1, "type": "ask", "ask": "tool", "text": '{"tool": "x"}'},
        {"ts": 1, "type": "say", "say": "api_req_started", "text": '{"request": "[x] Result: y"}'},
        {
            "sessionId": "s",
            "agent": "lead",
            "messages": [{"role": "user", "content": [TOLD], "ts": 1}],
        },
    ],
    "amp": [
        {
            "id": "T-1",
            "env": {"initial": {"trees": [{"uri": "file:///a"}]}},
            "messages": [
                {"role": "assistant", "content": [USED], "usage": {"timestamp": 1}},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "toolUseID": "t1", "run": {"status": "error"}}
                    ],
                },
            ],
        }
    ],
    "goose": [
        {"working_dir": "/a", "id": "g"},
        {
            "role": "assistant",
            "created": 1740823200,
            "content": [{"type": "toolRequest", "id": "c", "toolCall": {"value": {"name": "x"}}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "toolResponse", "id": "c", "toolResult": {"value": {"content": TEXT}}}
            ],
        },
    ],
    "continue": [
        {
            "sessionId": "c",
            "workspaceDirectory": "/a",
            "history": [
                {
                    "message": {
                        "role": "assistant",
                        "toolCalls": [{"id": "c", "function": {"name": "x"}}],
                    },
                    "toolCallStates": [
                        {"toolCallId": "c", "status": "done", "output": [{"content": "a"}]}
                    ],
                }
            ],
        }
    ],
    "windsurf": [
        {"type": "view_file", "status": "done", "view_file": {"path": "file:///a", "content": "x"}},
        {"type": "run_command", "status": "done", "run_command": {"command": "ls", "exit_code": 1}},
    ],
    "droid": [
        {"type": "session_start", "id": "d", "cwd": "/a"},
        {"type": "message", "id": "1", "message": {"role": "assistant", "content": [USED]}},
        {"type": "message", "id": "2", "message": {"role": "user", "content": [TOLD]}},
        {"type": "tool_call", "id": "c", "toolId": "x", "toolName": "x", "parameters": RAN},
        {"type": "tool_result", "id": "c", "toolId": "x", "isError": True, "value": "a"},
    ],
    "pi": [
        {"type": "session", "id": "p", "cwd": "/a"},
        {
            "type": "message",
            "id": "1",
            "parentId": None,
            "message": {
                "role": "assistant",
                "content": [{"type": "toolCall", "id": "c", "name": "x"}],
            },
        },
        {
            "type": "message",
            "id": "2",
            "parentId": "1",
            "message": {"role": "toolResult", "toolCallId": "c", "content": TEXT, "isError": True},
        },
    ],
    "kimi": [
        {"type": "metadata", "protocol_version": "1"},
        {"type": "turn.prompt", "input": TEXT, "origin": {"kind": "user"}},
        {
            "type": "context.append_loop_event",
            "event": {
                "type": "tool.call",
                "toolCallId": "c",
                "name": "x",
                "args": RAN,
                "display": {"cwd": "/"},
            },
        },
        {
            "type": "context.append_loop_event",
            "event": {
                "type": "tool.result",
                "toolCallId": "c",
                "result": {"output": "a", "isError": True},
            },
        },
        {
            "timestamp": 1,
            "message": {"type": "ToolCall", "payload": {"id": "d", "function": {"name": "x"}}},
        },
        {
            "timestamp": 1,
            "message": {"type": "ToolResult", "payload": {"tool_call_id": "d", "return_value": {}}},
        },
    ],
    "openhands": [
        {
            "history": [
                {
                    "id": 1,
                    "action": "run",
                    "args": RAN,
                    "tool_call_metadata": {"tool_call_id": "c"},
                },
                {
                    "id": 2,
                    "cause": 1,
                    "observation": "run",
                    "content": "a",
                    "extras": {"metadata": {"exit_code": 1}},
                },
            ]
        }
    ],
    "swe-agent": [
        {
            "trajectory": [{"action": "ls", "observation": "a", "state": '{"working_dir": "/a"}'}],
            "history": [{"role": "assistant", "tool_calls": [{"function": {"name": "x"}}]}],
        },
        {"role": "assistant", "content": "```mswea_bash_command\nls\n```"},
        {"role": "user", "content": "<returncode>1</returncode>"},
    ],
    "inspect": [
        {
            "eval": {"run_id": "r"},
            "status": "success",
            "samples": [
                {
                    "id": 1,
                    "epoch": 1,
                    "attachments": {"k": "x"},
                    "messages": [
                        {
                            "role": "assistant",
                            "content": "",
                            "tool_calls": [{"id": "c", "function": "x"}],
                        },
                        {
                            "role": "tool",
                            "tool_call_id": "c",
                            "content": "attachment://k",
                            "error": {"type": "x"},
                        },
                    ],
                    "events": [{"event": "tool", "id": "c", "completed": "2025-05-12T20:27:44Z"}],
                }
            ],
        }
    ],
    "chatgpt": [
        {
            "current_node": "2",
            "id": "k",
            "mapping": {
                "1": {
                    "parent": None,
                    "message": {"id": "1", "author": {"role": "user"}, "content": {"parts": ["x"]}},
                },
                "2": {
                    "parent": "1",
                    "message": {
                        "author": {"role": "assistant"},
                        "recipient": "x",
                        "content": {"parts": ["{}"]},
                    },
                },
            },
        }
    ],
    "claude.ai": [
        {
            "uuid": "k",
            "chat_messages": [{"sender": "assistant", "content": [USED, TOLD], "text": ""}],
        }
    ],
    "traces": [
        {
            "post": [
                {
                    "id": "r",
                    "run_type": "tool",
                    "name": "x",
                    "inputs": {"input": "{}"},
                    "error": "e",
                }
            ]
        },
        {
            "object": "trace.span",
            "id": "s",
            "span_data": {"type": "function", "name": "x", "input": "{}"},
        },
    ],
}
