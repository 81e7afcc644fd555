import { describe, expect, it } from 'vitest';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import type { Profile } from '@/lib/xds/profile';
import { readCapture } from '../../support/builders/codec-corpus';

interface Row {
  readonly typeUrl: string;
  readonly name: string;
  readonly clientStatus?: string;
  readonly xdsConfig?: unknown;
}

interface Answer {
  readonly config?: readonly { readonly genericXdsConfigs?: readonly Row[] }[];
}

const captures: readonly [folder: string, profile: Profile][] = [
  ['js', 'node-1.14'],
  ['py151', 'core-1.51'],
  ['go164', 'go-1.64'],
];
const files = ['csds-1-acked', 'csds-2-nacked', 'csds-3-recovered-deleted'];

describe('resources that real clients ACKed are ACKed by the rules', () => {
  it.each(captures)('%s', (folder, profile) => {
    let count = 0;
    for (const file of files) {
      const answer = JSON.parse(readCapture(folder, `${file}.protojson.json`).toString('utf8')) as Answer;
      const rows = (answer.config ?? []).flatMap((config) => config.genericXdsConfigs ?? []);
      for (const row of rows) {
        if (row.clientStatus !== 'ACKED' || row.xdsConfig === undefined) continue;
        const findings = validateResource(row.typeUrl, row.xdsConfig, { certificateProviders: new Set() });
        count += 1;
        expect(verdictOf(findings, profile), `${row.name}: ${JSON.stringify(findings)}`).toBe('ACK');
      }
    }
    expect(count).toBeGreaterThan(5);
  });
});
