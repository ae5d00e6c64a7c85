/**
 * What a proxy adds to a login it passes on: the salt that the client's proof was made with. The real one says this before the greeting.
 * It proves nothing, so that who knows a proof could use it again; a stand-in keeps nothing that is worth it.
 */
export const proxySalt = '_mo_proxy_salt';
