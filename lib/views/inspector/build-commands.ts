import type { Vantage } from '../../observation/observation';
import type { ResourceRow } from '../../observation/resource-row';
import { findResourceType, messageNameOf } from '../../xds/resource-type';

/** A command that shows the resource without xdscope. */
export interface ShowCommand {
  readonly tool: 'grpcdebug' | 'grpcurl';
  readonly command: string;
  /** The prerequisites of the command, and what it omits. */
  readonly note: string;
}

export interface CommandContext {
  readonly row: Pick<ResourceRow, 'typeUrl' | 'name'>;
  readonly nodeId: string;
  readonly scope: string;
  readonly vantage: Vantage;
  /** The target of the source, HOST:PORT; undefined if it is not known. */
  readonly target: string | undefined;
}

export function buildCommands(context: CommandContext): readonly ShowCommand[] {
  const { vantage, target } = context;
  if (target === undefined) return [];
  if (vantage === 'csds') return [grpcdebug(context, target), grpcurlCsds(context, target)];
  if (vantage === 'probe') return [grpcurlAds(context, target)];
  return [];
}

function grpcdebug({ row, nodeId, scope }: CommandContext, target: string): ShowCommand {
  return {
    tool: 'grpcdebug',
    command: `grpcdebug ${quoteForShell(target)} xds config | jq ${quoteForShell(jqSelect(row, nodeId, scope))}`,
    note: 'Status, versions, reason and body of this resource. Without jq: all that the target holds, and what it reports in the older xds_config form.',
  };
}

function grpcurlCsds({ row, nodeId, scope }: CommandContext, target: string): ShowCommand {
  const call = 'envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus';
  return {
    tool: 'grpcurl',
    command: `grpcurl -plaintext -max-msg-sz 67108864 -d '{}' ${quoteForShell(target)} ${call} | jq ${quoteForShell(jqSelect(row, nodeId, scope))}`,
    note: 'The target must offer server reflection; otherwise give the protos with -protoset.',
  };
}

/** Both tools print the ClientStatusResponse as proto3 JSON. Type URLs may have a prefix or not. */
function jqSelect(row: CommandContext['row'], nodeId: string, scope: string): string {
  const ofClient = `.node.id == ${jqString(nodeId)} and (.clientScope // "") == ${jqString(scope)}`;
  const ofResource = `(.typeUrl | endswith(${jqString(messageNameOf(row.typeUrl))})) and .name == ${jqString(row.name)}`;
  return `.config[] | select(${ofClient}) | .genericXdsConfigs[]? | select(${ofResource})`;
}

/** JSON escapes are valid in jq. They double backslashes, so that the text cannot contain an interpolation. */
function jqString(text: string): string {
  return JSON.stringify(text);
}

function grpcurlAds({ row, nodeId }: CommandContext, target: string): ShowCommand {
  const request = JSON.stringify({ node: { id: nodeId }, typeUrl: row.typeUrl, resourceNames: [row.name] });
  const call = 'envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
  const type = findResourceType(row.typeUrl);
  const every = type?.absenceDeletes ? ' A control plane may answer with every resource of the type.' : '';
  return {
    tool: 'grpcurl',
    // The request side stays open until the response: some control planes end the stream with it.
    command: `(printf '%s\\n' ${quoteForShell(request)}; sleep 5) | grpcurl -plaintext -max-msg-sz 67108864 -d @ ${quoteForShell(target)} ${call}`,
    note: `Requests it from the control plane under this node id; server reflection or -protoset is needed.${every}`,
  };
}

/**
 * Quotes any text as one word of a POSIX shell. Names are hostile: nothing in them may end the quotes. A NUL, which shell
 * words cannot contain, is left out.
 */
export function quoteForShell(text: string): string {
  const word = text.replaceAll('\u0000', '');
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
