import type { CredentialsShown, NewSource } from '@/lib/api/schema';
import { requestedKinds } from '@/lib/observation/declared-source';
import { formOf } from '@/lib/view-model/sources/source-kind-facts';
import type {
  ApiVersion,
  ErrorModel,
  ProbeMode,
  ProbeProfile,
  ProbeTransport,
} from '@/lib/xds/probe-choices';
import type { DraftSecurity } from './source-draft';

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  /** What it means, in one sentence. */
  readonly text: string;
}

export const kindChoices: readonly Choice<NewSource['kind']>[] = requestedKinds.map((kind) => {
  const { label, text } = formOf(kind);
  return { value: kind, label, text };
});

export const transportChoices: readonly Choice<ProbeTransport>[] = [
  {
    value: 'ads',
    label: 'ADS',
    text: 'One stream for all types, each answer complete: what gRPC clients speak.',
  },
  {
    value: 'delta-ads',
    label: 'Delta ADS',
    text: 'One stream for all types, only what changed: what Envoy prefers.',
  },
  {
    value: 'sotw',
    label: 'A stream for each type',
    text: 'LDS, RDS, CDS, EDS and others apart, each answer complete.',
  },
  {
    value: 'delta',
    label: 'A delta stream for each type',
    text: 'LDS, RDS, CDS, EDS and others apart, only what changed.',
  },
  { value: 'rest', label: 'REST-JSON', text: 'Polls /v3/discovery:clusters and its siblings over HTTP.' },
];

export const apiVersionChoices: readonly Choice<ApiVersion>[] = [
  { value: 'v3', label: 'v3', text: 'What every control plane of today speaks.' },
  { value: 'v2', label: 'v2', text: 'For meshes that still speak envoy.api.v2.' },
];

export const modeChoices: readonly Choice<ProbeMode>[] = [
  {
    value: 'observe',
    label: 'Observe',
    text: 'Accepts whatever decodes and reports what breaks rules; disturbs nobody.',
  },
  {
    value: 'validate',
    label: 'As a client',
    text: 'Rejects (NACKs) what a gRPC client would reject, as the control plane will see.',
  },
];

export const profileChoices: readonly Choice<ProbeProfile>[] = [
  { value: 'core', label: 'C-core', text: 'The rules of gRPC in C++, Python, Ruby and others.' },
  { value: 'go', label: 'Go', text: 'The rules of grpc-go.' },
  { value: 'java', label: 'Java', text: 'The rules of grpc-java.' },
  { value: 'node', label: 'Node', text: 'The rules of grpc-js-xds.' },
];

export const errorModelChoices: readonly Choice<ErrorModel>[] = [
  { value: 'pre-a88', label: 'Before gRFC A88', text: 'A resource that the server deletes is gone at once.' },
  { value: 'a88', label: 'gRFC A88', text: 'A deleted resource stays in use, with an error beside it.' },
];

const plain = {
  value: 'plain',
  label: 'Plain text',
  text: 'No encryption, as inside a mesh or on one machine.',
} as const;
const tls = {
  value: 'tls',
  label: 'TLS',
  text: 'The server shows a certificate that one of the system’s authorities signed.',
} as const;
const asBootstrap = {
  value: 'plain',
  label: 'As the bootstrap says',
  text: 'Plain text, or TLS by the system’s authorities: files that it names are ignored.',
} as const;

/** Credentials come from the config file alone; callers choose them by name. */
export function securityChoices(
  credentials: readonly CredentialsShown[],
  isBootstrap: boolean,
): readonly Choice<DraftSecurity>[] {
  return [
    ...(isBootstrap ? [asBootstrap] : [plain, tls]),
    ...credentials.map(({ name, targets }) => ({
      value: `credentials:${name}` as const,
      label: `Credentials: ${name}`,
      text:
        targets.length === 0
          ? 'The config file binds them to no target: no source can be added with them.'
          : `From the config file, for ${targets.join(', ')}.`,
    })),
  ];
}

export function labelOf<T extends string>(choices: readonly Choice<T>[], value: T): string {
  return choices.find((choice) => choice.value === value)?.label ?? value;
}
