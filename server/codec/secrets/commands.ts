import { looksSecret } from '../secret-name';

/** Commands whose argument is a secret: group 1 is kept and group 2 is the secret. */
export const commands: readonly (readonly [
  name: string,
  pattern: RegExp,
  isSecret?: (secret: string, kept: string) => boolean,
])[] = [
  ['netrc', /(\blogin\s{1,8}\S{1,200}\s{1,8}password\s{1,8})(\S{1,1024})/g],
  [
    'quoted password',
    /(\b(?:password|passwd|passphrase|passcode|pwd)\s{1,4}\\{0,2}["'`])([^"'`\\]{1,1024})/gi,
  ],
  [
    'password in a sentence',
    /(\b(?:password|passwd|passphrase|passcode|pwd|secret|token|api key)\s{1,4}is\s{1,4}\\{0,2}["'`]?)([^\s"'`,;\\]{3,1024})/gi,
    (secret) => /\d/.test(secret),
  ],
  [
    'password of a statement',
    /(\bidentified\s{1,4}(?:with\s{1,4}\S{1,64}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?\\{0,2}["'`]?)([^\s"'`\\;]{1,1024})/gi,
    (secret) => secret.length > 2 && !/^(?:password|values?)$/i.test(secret),
  ],
  [
    'secure string',
    /(\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?\\{0,2}["']?)([^\s"'\\]{3,1024})/gi,
    (secret) => !/^[-$]/.test(secret),
  ],
  [
    'password of Redis',
    /(\b(?:AUTH|requirepass|masterauth|REQUIREPASS|MASTERAUTH)\s{1,4}(?:\w{1,32}\s{1,4})?\\{0,2}["']?)([^\s"'\\]{6,1024})/g,
    (secret, kept) => !kept.startsWith('AUTH') || looksSecret(secret),
  ],
  [
    'community of SNMP',
    /(\bsnmp-server\s{1,4}(?:community|user\s{1,4}\S{1,64}\s{1,4}auth\s{1,4}\w{1,8})\s{1,4})(\S{1,256})/gi,
  ],
  ['secret of a router', /(\b(?:secret|password|key)\s{1,4}\d\s{1,4})([^\s"']{6,256})/gi],
  [
    'short option',
    /((?<=^|\s)-[pPaWw][ =]\\{0,2}["']?)([^\s"'\\]{6,1024})/g,
    (secret) => looksSecret(secret) && !/[/:]/.test(secret),
  ],
  ['option of MySQL', /(\b(?:mysql|mysqldump|mysqladmin|mariadb)\s[^\n;|&]{0,200}?\s-p)([^\s"'\\]{3,1024})/g],
];
