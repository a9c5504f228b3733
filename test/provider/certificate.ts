import type { TlsOptions } from 'node:tls';

/** A certificate of a name that nobody has, made for these tests alone; it signs itself and ends in a hundred years. */
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNL4R0ay5le2HtpZg
wqWx5C+fZtQLQ/Dkhq6dvAFayE6hRANCAASCq/f/ysN2HEUqWDI/QEkpWgzc5B4p
tK6NdZf7sTAoJHCWuClGREjZSKfWwovvVfa02bU01fr9hZ8r+y/V1sAA
-----END PRIVATE KEY-----`;

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBqzCCAVCgAwIBAgIUWXcdq6XYLseiVBW9bEm+EmtZTt0wCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQc21zLmV4YW1wbGUudGVzdDAgFw0yNjExMjAyMzEyMjJaGA8y
MTI2MTAyNzIzMTIyMlowGzEZMBcGA1UEAwwQc21zLmV4YW1wbGUudGVzdDBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABIKr9//Kw3YcRSpYMj9ASSlaDNzkHim0ro11
l/uxMCgkcJa4KUZESNlIp9bCi+9V9rTZtTTV+v2Fnyv7L9XWwACjcDBuMB0GA1Ud
DgQWBBSMp8kN7Odue/lzh8BhriRNa7Y0dzAfBgNVHSMEGDAWgBSMp8kN7Odue/lz
h8BhriRNa7Y0dzAPBgNVHRMBAf8EBTADAQH/MBsGA1UdEQQUMBKCEHNtcy5leGFt
cGxlLnRlc3QwCgYIKoZIzj0EAwIDSQAwRgIhAPM9TXr9mmjT77rOzRs2cceN8lQ8
AT6Yvlqn6NYALpxNAiEAy61u4v/tS2xFq3UaHV/XRO9xwkWK4FfC5pcoEvPdNs4=
-----END CERTIFICATE-----`;

/** What a server under that certificate is made with; each offer of protocols (ALPN) is added to `offered`, and its first taken. */
export function recordingOffers(offered: string[][]): TlsOptions {
  return {
    key: KEY,
    cert: CERTIFICATE,
    ALPNCallback: ({ protocols }) => {
      offered.push(protocols);
      return protocols[0];
    },
  };
}
