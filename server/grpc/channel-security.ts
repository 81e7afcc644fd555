import { type ChannelCredentials, credentials, experimental } from '@grpc/grpc-js';
import type { Clock } from '../observe';
import { CertificateWatcher, type TlsMaterial } from './certificate-watcher';
import type { CallCredentialsConfig, ChannelCredentialsConfig } from './credentials-config';
import { createTokenReader, tokenFileCredentials } from './token-file';

export interface SecurityConfig {
  readonly credentials: ChannelCredentialsConfig;
  readonly callCredentials: readonly CallCredentialsConfig[];
}

export const noSecurity: SecurityConfig = { credentials: { kind: 'insecure' }, callCredentials: [] };

export interface ChannelTls {
  /** What is wrong with the files now, in words. */
  readonly problems: readonly string[];
  /** What the next connection will be made with; undefined while nothing good was read. */
  readonly material: TlsMaterial | undefined;
  /** Whom the server's certificate has to name, where that is not the target's host. */
  readonly serverName?: string | undefined;
}

/** What a channel is made with. It watches files until it is closed. */
export interface ChannelSecurity {
  readonly credentials: ChannelCredentials;
  /** Absent: plain text. */
  readonly tls?: ChannelTls;
  /** Resolves when the files were read once, good or bad. */
  whenRead(): Promise<void>;
  /** For the header of that name, anew for each call; rejects where there is no token. Never in plain text (gRFC A97). */
  readAuthorization(): Promise<string | undefined>;
  close(): void;
}

/** `onProblems` is called whenever they change. */
export function openChannelSecurity(
  config: SecurityConfig,
  clock: Clock,
  onProblems: (problems: readonly string[]) => void = () => {},
): ChannelSecurity {
  if (config.credentials.kind === 'insecure') {
    return {
      credentials: credentials.createInsecure(),
      whenRead: async () => {},
      readAuthorization: async () => undefined,
      close() {},
    };
  }
  let problems: readonly string[] = [];
  const watcher = new CertificateWatcher({
    config: config.credentials,
    clock,
    onProblems: (now) => {
      problems = now;
      onProblems(now);
    },
  });
  const hasIdentity = config.credentials.certificateFile !== null;
  const channel = experimental.createCertificateProviderChannelCredentials(
    watcher,
    hasIdentity ? watcher : null,
  );
  const secured = config.callCredentials.reduce<ChannelCredentials>(
    (composed, { file }) => composed.compose(tokenFileCredentials(file, clock)),
    channel,
  );
  const [call] = config.callCredentials;
  const readToken = call && createTokenReader(call.file, clock);
  return {
    credentials: secured,
    whenRead: () => watcher.whenRead(),
    readAuthorization: async () => (readToken === undefined ? undefined : `Bearer ${await readToken()}`),
    tls: {
      serverName: config.credentials.serverName,
      get problems() {
        return problems;
      },
      get material() {
        return watcher.material;
      },
    },
    close: () => watcher.close(),
  };
}
