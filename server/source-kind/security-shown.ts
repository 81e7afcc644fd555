import type { Security } from '@/lib/api/schema';
import type { ChannelCredentialsConfig } from '../grpc/credentials-config';

export function securityOf(credentials: ChannelCredentialsConfig): Security {
  if (credentials.kind === 'insecure') return 'plain';
  return credentials.certificateFile === null ? 'tls' : 'mtls';
}
