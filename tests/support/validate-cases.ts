import type { Profile } from '@/lib/validate/profile';
import { decodeBody } from '@/server/codec/decode-body';
import { readCapture } from './codec-corpus';

export interface NackCase {
  readonly type: string;
  readonly label: string;
  readonly resources: readonly { readonly typeUrl: string; readonly json: unknown }[];
  /** What the real client answered: ACK, NACK, or "no answer" when it crashed. */
  readonly recorded: Readonly<Record<'core' | 'go' | 'node', string>>;
}

interface CaseFile {
  readonly type: string;
  readonly label: string;
  readonly resources: readonly { readonly type_url: string; readonly value_base64: string }[];
}

export const measured = ['core', 'go', 'node'] as const satisfies readonly Profile[];

/** Odd resources with the answers of real clients. */
export function readNackCases(): NackCase[] {
  const cases: CaseFile[] = readJson('cases.json');
  const answers = {
    core: readJson<{ outcome: string }[]>('nack-py151.json'),
    go: readJson<{ outcome: string }[]>('nack-go164.json'),
    node: readJson<{ outcome: string }[]>('nack-js.json'),
  };
  return cases.map(({ type, label, resources }, index) => ({
    type,
    label,
    resources: resources.map(({ type_url: typeUrl, value_base64: base64 }) => ({
      typeUrl,
      json: decodeBody(typeUrl, Buffer.from(base64, 'base64')).json,
    })),
    recorded: {
      core: answers.core[index]?.outcome ?? 'missing',
      go: answers.go[index]?.outcome ?? 'missing',
      node: answers.node[index]?.outcome ?? 'missing',
    },
  }));
}

function readJson<T>(file: string): T {
  return JSON.parse(readCapture('nack', file).toString('utf8')) as T;
}
