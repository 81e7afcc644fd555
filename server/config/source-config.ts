import type { SourceSetup } from './source-setup';

/** One CSDS target or management server, as flags, environment or file name it. */
export interface SourceConfig {
  readonly id: string;
  readonly target: string;
  readonly label: string;
  readonly origin: 'flag' | 'environment' | 'config';
  readonly setup: SourceSetup;
  /** The entry of `credentials` that it uses. */
  readonly credentials?: string | undefined;
}
