import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildCommands, type CommandContext, quoteForShell } from '@/lib/views/inspector/build-commands';
import { CDS } from '@/lib/xds/resource-type';

const context: CommandContext = {
  row: { typeUrl: CDS.typeUrl, name: 'cart' },
  nodeId: 'web-1',
  scope: '',
  vantage: 'csds',
  target: '127.0.0.1:50051',
};
const commandOf = (changes: Partial<CommandContext>, tool: string) =>
  buildCommands({ ...context, ...changes }).find((command) => command.tool === tool)?.command;

test('buildCommands: commands for a CSDS target are grpcdebug, then grpcurl', () => {
  const filter =
    '\'.config[] | select(.node.id == "web-1" and (.clientScope // "") == "") | .genericXdsConfigs[]? | select((.typeUrl | endswith("envoy.config.cluster.v3.Cluster")) and .name == "cart")\'';
  expect(buildCommands(context).map((command) => command.command)).toEqual([
    `grpcdebug 127.0.0.1:50051 xds config | jq ${filter}`,
    `grpcurl -plaintext -max-msg-sz 67108864 -d '{}' 127.0.0.1:50051 envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus | jq ${filter}`,
  ]);
});

test('buildCommands: quotes and jq interpolation in a name stay text', () => {
  const command = commandOf({ row: { typeUrl: CDS.typeUrl, name: `'; rm -rf / #\\(env)"` } }, 'grpcdebug');
  expect(command).toContain(`.name == "'\\''; rm -rf / #\\\\(env)\\"")'`);
});

test('buildCommands: the command for a probe requests the one resource', () => {
  expect(commandOf({ vantage: 'probe', target: '127.0.0.1:18000' }, 'grpcurl')).toBe(
    `(printf '%s\\n' '{"node":{"id":"web-1"},"typeUrl":"${CDS.typeUrl}","resourceNames":["cart"]}'; sleep 5) | grpcurl -plaintext -max-msg-sz 67108864 -d @ 127.0.0.1:18000 envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources`,
  );
});

test('buildCommands: without a target there is no command', () => {
  expect(buildCommands({ ...context, target: undefined })).toEqual([]);
  expect(buildCommands({ ...context, vantage: 'lrs' })).toEqual([]);
});

test.each([
  ['cart', 'cart'],
  ['127.0.0.1:50051', '127.0.0.1:50051'],
  ['', "''"],
  ['a b', "'a b'"],
  ["it's", "'it'\\''s'"],
  ['$(reboot)', "'$(reboot)'"],
  ['a\nb', "'a\nb'"],
])('quoteForShell(%j) is %j', (text, quoted) => {
  expect(quoteForShell(text)).toBe(quoted);
});

test('quoteForShell: a real shell reads back any text as one word', () => {
  const texts = fc.sample(fc.string({ unit: 'binary' }), { numRuns: 200, seed: 1 });
  const plain = texts.map((text) => text.replaceAll('\u0000', ''));
  const script = `for word in ${texts.map(quoteForShell).join(' ')}; do printf '%s\\0' "$word"; done`;
  expect(execFileSync('/bin/sh', ['-c', script]).toString().split('\u0000').slice(0, -1)).toEqual(plain);
});
