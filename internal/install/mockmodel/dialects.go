package mockmodel

import (
	"encoding/json"
	"net/http"
)

// anthropic answers a request of Anthropic's messages API, streamed or whole.
func (m *Model) anthropic(w http.ResponseWriter, body []byte) error {
	var in struct {
		Model    string
		Stream   bool
		Tools    []struct{ Name string }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	var t Turn
	for _, tool := range in.Tools {
		t.Tools = append(t.Tools, tool.Name)
	}
	for _, message := range in.Messages {
		if t.Prompt == "" && message.Role == "user" {
			t.Prompt = text(message.Content)
		}
		var parts []struct {
			Type    string
			Content json.RawMessage
		}
		_ = json.Unmarshal(message.Content, &parts)
		for _, p := range parts {
			if p.Type == "tool_result" {
				t.Results = append(t.Results, text(p.Content))
			}
		}
	}
	calls := m.answer(t)
	content := []map[string]any{{"type": "text", "text": "finished"}}
	reason := "end_turn"
	if len(calls) > 0 {
		content, reason = nil, "tool_use"
	}
	for _, c := range calls {
		content = append(content, map[string]any{"type": "tool_use", "id": "toolu_" + c.ID, "name": c.Tool, "input": object(c.Input)})
	}
	message := map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": in.Model, "content": content, "stop_reason": reason, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 1, "output_tokens": 1},
	}
	if !in.Stream {
		w.Header().Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(message)
	}
	s := newStream(w)
	message["content"], message["stop_reason"] = []any{}, nil
	s.event("message_start", map[string]any{"type": "message_start", "message": message})
	for i, block := range content {
		delta := map[string]any{"type": "text_delta", "text": block["text"]}
		start := map[string]any{"type": "text", "text": ""}
		if block["type"] == "tool_use" {
			input, _ := json.Marshal(block["input"])
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
			start = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
		}
		s.event("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": start})
		s.event("content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
		s.event("content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
	}
	s.event("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1},
	})
	s.event("message_stop", map[string]any{"type": "message_stop"})
	return nil
}

// openai answers a request of OpenAI's responses API, as a stream.
func (m *Model) openai(w http.ResponseWriter, body []byte) error {
	type tool struct{ Name, Type string }
	var in struct {
		Tools []tool
		Input []struct {
			Type, Role      string
			Content, Output json.RawMessage
			Tools           []tool // of an item “additional_tools”
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	var t Turn
	tools := in.Tools
	for _, item := range in.Input {
		tools = append(tools, item.Tools...)
		switch {
		case item.Type == "message" && item.Role == "user":
			t.Prompt = text(item.Content) // the last one: those before are the agent's own
		case item.Type == "function_call_output" || item.Type == "custom_tool_call_output":
			t.Results = append(t.Results, text(item.Output))
		}
	}
	for _, offered := range tools {
		t.Tools = append(t.Tools, offered.Name)
	}
	s := newStream(w)
	response := map[string]any{"id": "resp_1"}
	s.event("response.created", map[string]any{"type": "response.created", "response": response})
	calls := m.answer(t)
	for _, c := range calls {
		input, _ := json.Marshal(object(c.Input))
		item := map[string]any{"type": "function_call", "call_id": c.ID, "name": c.Tool, "arguments": string(input)}
		if c.Script != "" {
			item = map[string]any{"type": "custom_tool_call", "call_id": c.ID, "name": c.Tool, "input": c.Script}
		}
		s.event("response.output_item.done", map[string]any{"type": "response.output_item.done", "item": item})
	}
	if len(calls) == 0 {
		s.event("response.output_item.done", map[string]any{"type": "response.output_item.done", "item": map[string]any{
			"type": "message", "role": "assistant", "id": "m1", "content": []any{map[string]any{"type": "output_text", "text": "finished"}},
		}})
	}
	response["usage"] = map[string]any{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}
	s.event("response.completed", map[string]any{"type": "response.completed", "response": response})
	return nil
}

// gemini answers generateContent, streamed or whole.
func (m *Model) gemini(w http.ResponseWriter, body []byte, streamed bool) error {
	type named struct{ Name string }
	var in struct {
		Tools    []struct{ FunctionDeclarations []named }
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				FunctionResponse *struct{ Response json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	var t Turn
	for _, group := range in.Tools {
		for _, f := range group.FunctionDeclarations {
			t.Tools = append(t.Tools, f.Name)
		}
	}
	for _, content := range in.Contents {
		for _, p := range content.Parts {
			if p.FunctionResponse != nil {
				t.Results = append(t.Results, string(p.FunctionResponse.Response))
			} else if content.Role == "user" && p.Text != "" {
				t.Prompt = p.Text
			}
		}
	}
	calls := m.answer(t)
	parts := []any{map[string]any{"text": "finished"}}
	if len(calls) > 0 {
		parts = nil
	}
	for _, c := range calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.Tool, "args": object(c.Input)}})
	}
	answer := map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	}
	if !streamed {
		w.Header().Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(answer)
	}
	newStream(w).event("", answer)
	return nil
}
