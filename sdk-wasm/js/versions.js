// What this is: the build puts the words in.

const VERSIONS = Object.freeze({ sdk: SDK_VERSION, schema: SCHEMA_VERSION, commit: COMMIT });

export const getVersions = () => VERSIONS;
