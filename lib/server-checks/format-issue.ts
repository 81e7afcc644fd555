import type { CheckMessage, CheckResult } from './server-check';

interface CheckedServer {
  readonly server: string;
  readonly version?: string | undefined;
  readonly access: 'read-only' | 'all';
}

const namesWritten = 20;

/** The text of an issue for the authors of a server, in Markdown. */
export function formatIssue({ server, version, access }: CheckedServer, result: CheckResult): string {
  const { id, title, level, expected, seen, source, messages, moreMessages = 0 } = result;
  return [
    `# ${title}: ${server}${version === undefined ? '' : ` ${version}`}`,
    '',
    `**Expected** (${level}): ${expected}`,
    '',
    `**Seen**: ${seen}`,
    '',
    `> ${source.sentence}`,
    '',
    `[${source.section}](${source.url})`,
    '',
    '**Messages**, with the time since the first one:',
    '',
    '```',
    ...messages.map(formatMessage),
    ...(moreMessages > 0 ? [`... and ${moreMessages} more messages`] : []),
    '```',
    '',
    access === 'read-only'
      ? `To repeat it: \`npm run interop -- --server ${server} --check ${id}${result.sendsNack ? ' --allow-nack' : ''}\` of xdscope.`
      : `This is check ${id} of xdscope, which changes the config of the server.`,
    '',
  ].join('\n');
}

/** "  12 ms  1 -> CDS c1, c2, version 3, nonce 7": an arrow to the right is a request. */
export function formatMessage(message: CheckMessage): string {
  const { isSent, stream, afterMs, typeUrl } = message;
  const type = typeUrl.slice(typeUrl.lastIndexOf('.') + 1) || 'no type';
  const facts = describeMessage(message);
  return `${String(Math.round(afterMs)).padStart(5)} ms  stream ${stream} ${isSent ? '->' : '<-'} ${type}${facts === '' ? '' : ` ${facts}`}`;
}

/** "c1, c2; version 3; nonce 7". */
export function describeMessage(message: CheckMessage): string {
  const { isSent, names, removed, version, nonce, error, moreNames = 0 } = message;
  const of = (each: readonly string[]) =>
    each.length <= namesWritten
      ? each.join(', ')
      : `${each.slice(0, namesWritten).join(', ')} and ${each.length - namesWritten} more`;
  return [
    ...(names.length > 0 ? [of(names)] : []),
    ...(removed.length > 0 ? [`${isSent ? 'unsubscribes' : 'removes'} ${of(removed)}`] : []),
    ...(moreNames > 0 ? [`${moreNames} more names`] : []),
    ...(version === '' ? [] : [`version ${version}`]),
    ...(nonce === '' ? [] : [`nonce ${nonce}`]),
    ...(error === '' ? [] : [`${isSent ? 'NACK: ' : 'error of '}${error}`]),
  ].join('; ');
}
