module jibe.io/peers/versitygw

go 1.26.0

require github.com/versity/versitygw v1.8.0

tool github.com/versity/versitygw/cmd/versitygw
