import type { Profile } from '@/lib/xds/profile';
import { readCapture } from './codec-corpus';

/** A resource that a real client rejected, and its error text. */
export interface RejectedCase {
  readonly text: string;
  readonly name: string;
  readonly typeUrl: string;
  readonly bytes: Uint8Array;
  readonly profile: Profile;
}

interface CaseFile {
  readonly type: string;
  readonly resources: readonly { readonly type_url: string; readonly value_base64: string }[];
}

/** The names that the captured resources have. */
const nameByType: Readonly<Record<string, string>> = { LDS: 'svc', RDS: 'rt', CDS: 'cl', EDS: 'cl-eds' };

const files = [
  ['core-1.51', 'nack-py151.json'],
  ['go-1.64', 'nack-go164.json'],
  ['node-1.14', 'nack-js.json'],
] as const;

/** NACKs of real clients. */
export function readRejectedCases(): RejectedCase[] {
  const cases: CaseFile[] = readJson('cases.json');
  return files.flatMap(([profile, file]) => {
    const answers: { readonly outcome: string; readonly message?: string }[] = readJson(file);
    return answers.flatMap(({ outcome, message }, index) => {
      const { type = '', resources = [] } = cases[index] ?? {};
      const [resource] = resources;
      if (outcome !== 'NACK' || message === undefined || resource === undefined) return [];
      const bytes = Buffer.from(resource.value_base64, 'base64');
      return [{ text: message, name: nameByType[type] ?? '', typeUrl: resource.type_url, bytes, profile }];
    });
  });
}

function readJson<T>(file: string): T {
  return JSON.parse(readCapture('nack', file).toString('utf8')) as T;
}
